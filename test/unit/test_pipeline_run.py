"""Pipelines on modules: what runs, what stops, what is shared."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from jaxlib.mlir import ir

from mosaic_verify import passes as table
from mosaic_verify.diagnostics.engine import Engine
from mosaic_verify.diagnostics.suppression import Suppression
from mosaic_verify.ir.context import make_context
from mosaic_verify.ir.levels import ALL_OPS, LEVELS, level_of
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.parse import ParseError, parse
from mosaic_verify.ir.passes import Pass, Session, collect
from mosaic_verify.ir.pipeline import build_pipeline, run_pipeline
from mosaic_verify.ir.pipeline_text import PipelineError
from mosaic_verify.rules.finding import Finding

TWO_FUNCTIONS = b"""
func.func @f(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  %c = arith.addi %a, %a : i32
  %d = arith.muli %b, %c : i32
  return %d : i32
}
func.func @g(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  return %b : i32
}
"""


@dataclass(frozen=True)
class ReportAdds(Pass):
    """Report each addition, or be silent about it."""

    name: ClassVar[str] = "report-adds"
    level: ClassVar[str] = "test"
    ops: ClassVar[tuple[str, ...]] = ("arith.addi",)
    read_only: ClassVar[bool] = True
    severity: str = "error"

    def run(self, op, session):
        for add in session.ops(op, self.ops):
            finding = Finding("MV111", "an addition", severity=self.severity)
            session.engine.report_finding(finding, {"": op_location(add)}, add.name)


@dataclass(frozen=True)
class BreakReturn(Pass):
    """Remove the terminators, which MLIR's verifier refuses."""

    name: ClassVar[str] = "break-return"
    level: ClassVar[str] = "test"
    ops: ClassVar[tuple[str, ...]] = ("func.return",)

    def run(self, op, session):
        for terminator in session.ops(op, self.ops):
            terminator.erase()


@dataclass(frozen=True)
class Faulty(Pass):
    """Have a fault of its own."""

    name: ClassVar[str] = "faulty"
    level: ClassVar[str] = "test"
    read_only: ClassVar[bool] = True

    def run(self, op, session):
        raise ZeroDivisionError("over\nby zero")


@pytest.fixture
def root():
    return parse(TWO_FUNCTIONS, make_context())


@pytest.fixture
def engine():
    return Engine()


def messages(engine):
    return [diagnostic.text for diagnostic in engine.report.diagnostics]


def test_shipped_passes_and_ours_in_order(root, engine):
    assert run_pipeline(root, ["cse", ReportAdds("warning")], Session(engine))
    assert messages(engine) == ["'arith.addi' op an addition [MV111]"] * 2  # one of three was eliminated


def test_verification_passes_behind_one_another_all_run_then_it_stops(root, engine):
    assert not run_pipeline(root, [ReportAdds(), ReportAdds("warning"), "cse", ReportAdds()], Session(engine))
    assert [d.severity for d in engine.report.diagnostics] == ["error"] * 3 + ["warning"] * 3
    assert len(collect(root, ["arith.addi"])["arith.addi"]) == 3


def test_warnings_alone_do_not_stop(root, engine):
    assert run_pipeline(root, [ReportAdds("warning"), "cse"], Session(engine))
    assert len(collect(root, ["arith.addi"])["arith.addi"]) == 2


def test_an_ignored_error_does_not_stop(root):
    engine = Engine(Suppression(ignore=("MV111",)))
    assert run_pipeline(root, [ReportAdds(), "cse"], Session(engine))
    assert not engine.report.diagnostics


def test_read_only_passes_share_one_walk(root, engine, monkeypatch):
    walks = []
    original = collect
    monkeypatch.setattr("mosaic_verify.ir.passes.collect", lambda *args: walks.append(args) or original(*args))
    run_pipeline(root, [ReportAdds("warning"), ReportAdds("remark")], Session(engine))
    assert len(walks) == 1
    run_pipeline(root, [ReportAdds("warning"), "cse", ReportAdds("remark")], Session(engine))
    assert len(walks) == 3  # what was indexed before a pass that may change the IR is not trusted behind it


def test_the_verifier_runs_behind_a_pass_that_changes(root, engine):
    assert not run_pipeline(root, [BreakReturn()], Session(engine))
    assert "block with no terminator" in messages(engine)[0] or "empty block" in messages(engine)[0]


def test_the_verifier_can_be_switched_off(root, engine):
    assert run_pipeline(root, [BreakReturn()], Session(engine), verify_each=False)


def test_verification_passes_run_on_modules_that_do_not_verify(root, engine):
    run_pipeline(root, [BreakReturn()], Session(engine), verify_each=False)
    assert run_pipeline(root, [ReportAdds("warning")], Session(engine))
    assert len(messages(engine)) == 3


def test_a_fault_of_ours_is_one_line_and_the_others_run(root, engine, monkeypatch):
    monkeypatch.delenv("MOSAIC_VERIFY_STRICT", raising=False)
    assert not run_pipeline(root, [Faulty(), ReportAdds("warning")], Session(engine))
    assert messages(engine)[0] == "pass 'faulty' stopped because of an internal error: ZeroDivisionError: over"
    assert len(messages(engine)) == 4
    monkeypatch.setenv("MOSAIC_VERIFY_STRICT", "1")
    with pytest.raises(ZeroDivisionError):
        run_pipeline(root, [Faulty()], Session(engine))


def test_nested_pipelines_run_on_children(root, engine):
    text = "builtin.module(func.func(cse),gpu.module(canonicalize),any(canonicalize{max-iterations=3}))"
    pipeline = build_pipeline(text, root.context)
    assert run_pipeline(root, pipeline, Session(engine))
    assert len(collect(root, ["arith.addi"])["arith.addi"]) == 2


def test_pipelines_print_back(root):
    text = "builtin.module(func.func(cse,symbol-dce),rewrite-all{exact=true},verify-all)"
    assert str(build_pipeline(text, root.context)) == text
    with_options = str(build_pipeline("builtin.module(canonicalize{max-iterations=3})", root.context))
    assert "max-iterations=3" in with_options and "top-down=true" in with_options
    assert str(build_pipeline(with_options, root.context)) == with_options
    for name in table.pass_names():
        printed = str(build_pipeline(f"builtin.module({name})", root.context))
        assert str(build_pipeline(printed, root.context)) == printed


def test_the_anchor_must_fit(root, engine):
    assert not run_pipeline(root, "func.func(cse)", Session(engine))
    assert messages(engine) == ["can't run 'func.func' pass manager on 'builtin.module' op"]


@pytest.mark.parametrize(
    ("pipeline", "unknown"),
    [("builtin.module(nope)", "nope"), ("builtin.module(cse,func.func(nope{a=1}))", "nope"), ("m(a b)", "a b")],
)
def test_unknown_passes(root, pipeline, unknown):
    with pytest.raises(PipelineError, match="does not refer to a registered pass or pass pipeline") as caught:
        build_pipeline(pipeline, root.context)
    assert caught.value.unknown == unknown


@pytest.mark.parametrize(
    "pipeline",
    [
        *("verify-all{x=1}", "rewrite-all{exact=maybe}", "verify-all{arch=sm_1}", "block-sparse-verify{arch=sm_1}"),
        *("cse{x=1}", "canonicalize{top-down=9}"),
    ],
)
def test_unknown_options(root, pipeline, capfd):
    with pytest.raises(PipelineError, match="failed to add"):
        build_pipeline(f"builtin.module({pipeline})", root.context)
    assert capfd.readouterr() == ("", "")  # what LLVM prints about a value is in the exception


def test_every_pass_belongs_to_the_level_of_its_name():
    for name in table.pass_names():
        kind = table.load_pass(name)
        level = level_of(name)
        assert level is not None and kind.level == level, name
        known = {*LEVELS[level].ops, *LEVELS[level].others}
        assert known.issuperset(kind.ops), f"{name} looks at ops that mosaic_verify.ir.levels does not list"
        assert not kind.ops or set(kind.ops).intersection(LEVELS[level].ops), name
        assert (kind.__doc__ or "").strip(), name


def test_no_level_lists_ops_that_no_pass_looks_at():
    looked_at = {name for each in table.pass_names() for name in table.load_pass(each).ops}
    assert looked_at == set(ALL_OPS)


def test_a_pass_with_nothing_to_look_at_is_not_imported(root, engine, monkeypatch):
    loaded = []
    original = table.load_pass
    monkeypatch.setattr(table, "load_pass", lambda name: loaded.append(name) or original(name))
    session = Session(engine)
    assert run_pipeline(root, "builtin.module(func.func(plgpu-verify-transforms),megablox-verify-gmm)", session)
    assert loaded == ["plgpu-verify-transforms"]  # to know whether a nested pipeline only verifies
    assert session.ran_own_pass
    call = parse(b"stablehlo.custom_call @x() : () -> ()", make_context())
    assert run_pipeline(call, "builtin.module(plgpu-verify-transforms,megablox-verify-gmm)", Session(engine))
    assert loaded[1:] == ["megablox-verify-gmm"]


def test_verify_all_imports_no_pass_of_other_levels(engine, monkeypatch):
    loaded = []
    original = table.load_pass
    monkeypatch.setattr(table, "load_pass", lambda name: loaded.append(name) or original(name))
    assert run_pipeline(parse(TWO_FUNCTIONS, make_context()), "builtin.module(verify-all,rewrite-all)", Session(engine))
    assert not loaded


FOREIGN = "operation being parsed with an unregistered dialect"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'"plgpu.x"() {a = #plgpu<b>} : () -> !plgpu.t', None),
        (b'"foo.x"() : () -> ()', FOREIGN),
        (b'"plgpu.x"() : () -> ()\n"foo.x"() : () -> ()', FOREIGN),
        (b'"plgpu.x"() : () -> ()\n"arith.nope"() : () -> ()', "unregistered operation"),
        (b'"plgpu.x"() : () -> (!foo.t)', "`!foo.t` type created with unregistered dialect"),
        (b'"plgpu.x"() {a = #foo.b} : () -> ()', "attribute created with unregistered dialect"),
        (b"\x00\x01\x02", "the input is neither MLIR text nor bytecode"),
        (b"\xff\xfe", "the input is neither MLIR text nor bytecode"),
        (b"ML\xefR\x0d", "cannot read bytecode"),
    ],
)
def test_what_parses(text, message):
    if message is None:
        assert parse(text, make_context()).name == "builtin.module"
        return
    with pytest.raises(ParseError) as caught:
        parse(text, make_context())
    assert message in caught.value.diagnostics[0].text


def test_locations_of_a_chunk_count_in_its_file():
    with pytest.raises(ParseError) as caught:
        parse(b"\nfoo", make_context(), first_line=10)
    assert caught.value.diagnostics[0].location.line == 11


def test_without_an_implicit_module():
    assert parse(b"func.func @f() { return }", make_context(), implicit_module=False).name == "func.func"


def test_other_dialects_are_allowed_when_asked_for():
    assert isinstance(parse(b'"foo.x"() : () -> ()', make_context(), allow_unregistered=True), ir.Operation)


def test_warnings_of_the_parser_are_passed_on():
    found = []
    parse(b'{-# external_resources: {foo: {a: "0x00"}} #-}', make_context(), warn=found.append)
    assert [(d.severity, d.message, d.location.line) for d in found] == [
        ("warning", "ignoring unknown external resources for 'foo'", 1)
    ]


@pytest.mark.parametrize("kept", ['"megablox.x"() : () -> ()', '"megablox.x"() : () -> ()\n"foreign.y"() : () -> ()'])
def test_text_of_our_dialects_is_parsed_once(kept, monkeypatch):
    parsed, original = [], ir.Module.parse
    monkeypatch.setattr(ir.Module, "parse", lambda *args: parsed.append(args) or original(*args))
    if "foreign" in kept:
        with pytest.raises(ParseError, match="unregistered dialect"):
            parse(kept.encode(), make_context())
    else:
        assert parse(kept.encode(), make_context()).name == "builtin.module"
    assert len(parsed) == 1


def test_session_walks_only_for_names_that_are_new(root):
    session = Session(Engine())
    adds = session.ops(root, ("arith.addi",))
    assert [op.name for op in session.ops(root, ("arith.muli", "arith.addi"))] == ["arith.muli"] + ["arith.addi"] * 3
    assert session.ops(root, ("arith.addi",)) == adds
    adds[-1].results[0].replace_all_uses_with(adds[-1].operands[0])
    adds.pop().erase()
    session.invalidate()
    assert session.ops(root, ("arith.addi",)) == adds
    other = parse(TWO_FUNCTIONS, make_context())
    assert len(session.ops(other.operation, ("arith.addi",))) == 3
