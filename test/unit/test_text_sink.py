"""Diagnostics as text and as JSON."""

import json

import pytest

from mosaic_verify.diagnostics.diagnostic import UNKNOWN, Diagnostic, Location, Note, Report, Rewrite
from mosaic_verify.diagnostics.jsonl import JsonSink
from mosaic_verify.diagnostics.source import Sources
from mosaic_verify.diagnostics.text import render, wants_color

TEXT = "first line\n\tindented by\ta tab\nna\u00efve\n\x1b[31mred\n"


@pytest.fixture
def sources():
    found = Sources()
    found.add("a.mlir", TEXT)
    return found


def at(line, column, **named):
    return Location("a.mlir", line, column, **named)


def test_location_message_code_line_and_caret(sources):
    diagnostic = Diagnostic("error", "is wrong", at(1, 7), code="MV111", rule="sparse-n", op="a.b")
    assert render(diagnostic, sources) == "a.mlir:1:7: error: 'a.b' op is wrong [MV111]\nfirst line\n      ^\n"


def test_tabs_are_expanded_in_the_line_and_under_it(sources):
    text = render(Diagnostic("warning", "x", at(2, 14)), sources)
    assert text == f"a.mlir:2:14: warning: x\n{' ' * 8}indented by{' ' * 5}a tab\n{' ' * 24}^\n"
    assert text.splitlines()[1].index("a tab") == text.splitlines()[2].index("^")


def test_a_line_beyond_ascii_has_no_caret(sources):
    assert render(Diagnostic("error", "x", at(3, 2)), sources) == "a.mlir:3:2: error: x\nna\u00efve\n"


def test_control_characters_do_not_reach_the_terminal(sources):
    assert render(Diagnostic("error", "x", at(4, 1)), sources) == "a.mlir:4:1: error: x\n?[31mred\n^\n"


@pytest.mark.parametrize("location", [at(0, 0), at(1, 0), at(99, 1), at(1, 12), Location("missing.mlir", 1, 1)])
def test_no_line_where_there_is_none(sources, location):
    assert render(Diagnostic("error", "x", location), sources) == f"{location}: error: x\n"


def test_one_column_behind_the_line_still_has_a_caret(sources):
    assert render(Diagnostic("error", "x", at(1, 11)), sources).endswith("\nfirst line\n          ^\n")


def test_unknown_locations(sources):
    assert render(Diagnostic("error", "x"), sources) == "<unknown>:0: error: x\n"
    assert render(Diagnostic("error", "x", Location(name="body")), sources) == '<unknown>:0: error: loc("body"): x\n'


def test_callers_then_notes(sources):
    location = at(1, 1, callers=(at(2, 2), Location("b.py", 7, 1)))
    notes = (Note("same place", location), Note("elsewhere", at(2, 2)), Note("there again", at(2, 2)))
    lines = render(Diagnostic("error", "x", location, notes=notes), sources).splitlines()
    assert [line for line in lines if "a.mlir" in line or "b.py" in line] == [
        "a.mlir:1:1: error: x",
        "a.mlir:2:2: note: called from",
        "b.py:7:1: note: called from",
        "a.mlir:1:1: note: same place",
        "a.mlir:2:2: note: elsewhere",
        "a.mlir:2:2: note: there again",
    ]
    assert lines.count("first line") == 1
    assert sum("indented" in line for line in lines) == 2  # the caller, and the note that moves there


def test_fixes_are_notes_without_a_line(sources):
    text = render(Diagnostic("error", "x", at(1, 1), fixes=("use N=32",)), sources)
    assert text.endswith("^\na.mlir:1:1: note: fix: use N=32\n")


def test_a_python_file_shows_its_line(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text("def body(ref):\n    mma(ref)\n")
    location = Location(str(file), 2, 5)
    assert render(Diagnostic("error", "x", location), Sources()).endswith("\n    mma(ref)\n    ^\n")


def test_colours_only_on_a_terminal(monkeypatch):
    class Terminal:
        def isatty(self):
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_color(Terminal())
    assert not wants_color(object())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_color(Terminal())


def test_colours_change_nothing_but_colours(sources):
    import re

    diagnostic = Diagnostic("error", "x", at(1, 2), notes=(Note("n", UNKNOWN),))
    assert re.sub(r"\033\[[\d;]*m", "", render(diagnostic, sources, True)) == render(diagnostic, sources)
    assert "\033[" in render(diagnostic, sources, True)


def test_json_lines():
    lines = []
    location = at(1, 2, callers=(at(3, 4),))
    JsonSink(lines.append)(
        Diagnostic("error", "x", location, "MV111", "sparse-n", "a.b", (Note("n", at(2, 1)),), ("use N=32",))
    )
    assert len(lines) == 1 and lines[0].endswith("\n") and "\n" not in lines[0][:-1]
    place = {"file": "a.mlir", "line": 1, "column": 2, "name": None}
    assert json.loads(lines[0]) == {
        "severity": "error",
        "code": "MV111",
        "rule": "sparse-n",
        "op": "a.b",
        "message": "x",
        **place,
        "callers": [{**place, "line": 3, "column": 4}],
        "notes": [{"message": "n", **place, "line": 2, "column": 1}],
        "fixes": ["use N=32"],
    }


@pytest.mark.parametrize("column", [1, 700, 1001])
def test_a_long_line_is_cut_around_the_column(column):
    text = "-" * (column - 1) + "|" + "-" * (1001 - column)
    found = Sources()
    found.add("a.mlir", text)
    _, line, caret = render(Diagnostic("error", "x", at(1, column)), found).splitlines()
    assert len(line) <= 206 and line[caret.index("^")] == "|"
    assert line.startswith("...") == (column > 1) and line.endswith("...") == (column < 1001)


def test_str_is_what_the_commands_show():
    diagnostic = Diagnostic(
        "error", "is wrong", at(1, 7), "MV111", "sparse-n", "a.b", (Note("n", at(2, 1)),), ("fix it",)
    )
    said = [
        "a.mlir:1:7: error: 'a.b' op is wrong [MV111]",
        "a.mlir:2:1: note: n",
        "a.mlir:1:7: note: fix: fix it",
    ]
    assert str(diagnostic).splitlines() == said
    rewrite = Rewrite("exact", "a-fold", "folded", at(3, 1), "MV202")
    assert str(rewrite) == "a.mlir:3:1: rewrite: folded (a-fold, exact) [MV202]"
    report = Report([diagnostic], [rewrite])
    assert str(report).splitlines() == [*said, str(rewrite), "refused (1 error, 1 rewrite)"]
    assert str(Report()) == "ok" and str(Report(examined=False)) == "ok (no kernel found)"
    assert str(Report(error=ValueError("no\nmore"))) == "refused (JAX raised ValueError: no)"


def test_a_function_of_which_only_the_line_is_known_has_its_caret_at_the_statement(tmp_path, sources):
    file = tmp_path / "kernel.py"
    file.write_text("def make():\n    def body(ref):\n        pass\n")
    assert render(Diagnostic("error", "x", Location(str(file), 2, 1)), Sources()).endswith(
        "    def body(ref):\n    ^\n"
    )
    assert render(Diagnostic("error", "x", Location(str(file), 1, 1)), Sources()).endswith("def make():\n^\n")
    sources.add("a.mlir", "  return\n")
    assert render(Diagnostic("error", "x", at(1, 1)), sources).endswith("\n  return\n^\n")  # MLIR knows its columns
