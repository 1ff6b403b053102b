"""The grammar of expected-* designators, and their comparison with diagnostics."""

import pytest

from mosaic_verify.diagnostics.diagnostic import Diagnostic, Location, Note
from mosaic_verify.diagnostics.expected import ExpectedVerifier
from mosaic_verify.diagnostics.source import Sources


def verify(text, *diagnostics, only_expected=False, first_line=1, whole=None):
    """(matched, what was printed)."""
    sources, printed = Sources(), []
    sources.add("t.mlir", whole or text)
    verifier = ExpectedVerifier(printed.append, sources, only_expected)
    verifier.add("t.mlir", text, first_line)
    for diagnostic in diagnostics:
        verifier(diagnostic)
    return verifier.finish(), "".join(printed)


def error(line, message="bad value [MV111]", severity="error", notes=()):
    return Diagnostic(severity, message, Location("t.mlir", line, 1), notes=notes)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x // expected-error {{bad value}}", 1),
        ("x // expected-error@+1 {{bad value}}\ny", 2),
        ("x // expected-error @+1{{bad value}}\ny", 2),
        ("y\nx // expected-error @-1 {{bad}}   ", 1),
        ("x # expected-error {{}}", 1),
        ("// expected-error @below {{bad}}\nx", 2),
        ("// expected-error @below {{bad}}\n// expected-note @below {{n}}\nx", 3),
        ("x\n// expected-error @above {{bad}}", 1),
        ("x\n// expected-note @above {{n}}\n// expected-error @above {{bad}}", 1),
        ("// expected-error @below {{bad}}", 1),
        ("// expected-error-re {{{{[a-z]+}} value}}", 1),
        ("// expected-error-re {{bad value [MV{{[[:digit:]]+}}]}}", 1),
        ("// expected-error-re {{^}}", None),
    ],
)
def test_matches(text, line):
    notes = (Note("n", Location("t.mlir", line or 1, 1)),) if "expected-note" in text else ()
    ok, printed = verify(text, *([error(line, notes=notes)] if line else []))
    assert ok == (line is not None), printed


def test_at_unknown_is_for_diagnostics_without_a_file():
    assert verify("// expected-error @unknown {{bad}}", Diagnostic("error", "bad"))[0]
    assert not verify("// expected-error @unknown {{bad}}", error(1))[0]
    ok, printed = verify("// expected-error @unknown {{bad}}")
    assert not ok and printed == '<unknown>:0: error: expected error "bad" was not produced\n'


def test_unexpected_and_missing():
    ok, printed = verify("x\n  // expected-warning {{other}}\n", error(1))
    assert not ok
    assert printed == (
        "t.mlir:1:1: error: unexpected error: bad value [MV111]\nx\n^\n"
        't.mlir:2:6: error: expected warning "other" was not produced\n'
        "  // expected-warning {{other}}\n"
        "     ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
    )


def test_near_miss_names_both_severities():
    ok, printed = verify("// expected-warning {{bad}}", error(1))
    assert not ok
    assert "error: 'error' diagnostic emitted when expecting a 'warning'" in printed
    assert 'error: expected warning "bad" was not produced' in printed


def test_a_designator_is_not_used_up_and_each_of_two_is_found():
    assert verify("x // expected-error {{bad}}", error(1), error(1))[0]
    two = "// expected-error @+2 {{bad}}\n// expected-error @+1 {{bad}}\nx"
    assert verify(two, error(3), error(3))[0]
    assert not verify(two, error(3))[0]


def test_notes_match_on_their_own_line():
    note = Note("defined here", Location("t.mlir", 1, 1))
    assert verify("x // expected-note {{defined here}}\ny // expected-error {{bad}}", error(2, notes=(note,)))[0]
    assert "unexpected note" in verify("x\ny // expected-error {{bad}}", error(2, notes=(note,)))[1]


def test_the_current_operation_and_fixes_take_no_part():
    note = Note('see current operation: "a.b"() : () -> ()', Location("t.mlir", 1, 1))
    diagnostic = Diagnostic("error", "bad", Location("t.mlir", 1, 1), notes=(note,), fixes=("f",))
    assert verify("x // expected-error {{bad}}", diagnostic)[0]


def test_only_expected_ignores_the_rest():
    assert verify("x", error(1), only_expected=True)[0]
    assert not verify("x // expected-error {{other}}", error(1), only_expected=True)[0]


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("// expected-error {{x}} trailing", "'}}' must be the last thing on the line"),
        ("// expected-error @ +1 {{x}}", "expected nothing, '@+N'"),
        ("// expected-error @nonsense {{x}}", "expected nothing, '@+N'"),
        ("// expected-error {x}", "expected the message between '{{' and '}}'"),
        ("// expected-error: {{x}}", "expected nothing, '@+N'"),
        ("// expected-errors {{x}}", "unknown severity 'errors'"),
        ("// expected-error {{x", "expected the message between '{{' and '}}'"),
        ("// expected-error-re {{{{[}}}}", "invalid regex"),
        ("// expected-error-re {{a{{b}}", "invalid regex"),
    ],
)
def test_malformed_designators_are_reported(line, advice):
    ok, printed = verify(line)
    assert not ok and advice in printed and printed.startswith("t.mlir:1:4: error: ")


@pytest.mark.parametrize("line", ["// the expected-error below", "// see expected-error.", "// unexpected error"])
def test_prose_is_no_designator(line):
    assert verify(line) == (True, "")


def test_lines_of_a_chunk_count_in_the_whole_file():
    whole = "a\n// -----\nx // expected-error {{bad}}\n"
    chunk = "\nx // expected-error {{bad}}\n"
    assert verify(chunk, error(3), first_line=2, whole=whole)[0]


def test_designators_of_another_readable_file(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text("mma()  # expected-error {{bad}}\n")
    assert verify("x", Diagnostic("error", "bad", Location(str(file), 1, 1)))[0]
