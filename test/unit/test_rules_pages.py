"""Every rule has its page, its check, its cases, and examples that do what the page says."""

import ast
import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path

import pytest

import mosaic_verify
from mosaic_verify.rules import registry
from mosaic_verify.rules.matching import match_message
from mosaic_verify.rules.page import all_rules, load_rule, rule_codes

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "mosaic_verify"
SOURCES = [
    path
    for folder in (PACKAGE, ROOT / "passes", ROOT / "dialects")
    for path in sorted(folder.rglob("*.py"))
    if "__pycache__" not in path.parts
]
# Cases live in lit files and in Python tests. Data and the texts of this page's own tests do not count.
CASES = [
    path
    for path in sorted((ROOT / "test").rglob("*"))
    if path.suffix in (".mlir", ".py", ".test") and "__pycache__" not in path.parts and path.name != Path(__file__).name
]
SECTIONS = ("What it does", "Why is this bad?", "Example", "Use instead", "References")
CODE = re.compile(r"\bMV\d{3}\b")

pages = pytest.mark.parametrize("code", rule_codes())


@cache
def parsed(path):
    """The syntax tree of a source file; an empty one for a file that does not parse."""
    try:
        return ast.parse(path.read_text(encoding="utf-8"), str(path))
    except SyntaxError:
        return ast.Module([], [])


@cache
def words(which):
    """The codes that are written in sources or in cases."""
    return {
        code
        for path in (SOURCES if which == "sources" else CASES)
        for code in CODE.findall(path.read_text(encoding="utf-8"))
    }


@cache
def emitted():
    """The codes that stand as strings in the package: those that something can report."""
    found = set()
    for path in SOURCES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
                found.add(node.value)
    return found


def sections(code):
    """The sections of a page by heading; headings inside of code blocks do not count."""
    found, heading, fenced = {}, "", False
    for line in load_rule(code).explanation.split("\n"):
        fenced ^= line.startswith("```")
        if line.startswith("## ") and not fenced:
            heading = line[3:].strip()
            assert heading not in found, f"{code}.md has two sections '{heading}'"
            found[heading] = []
        else:
            found.setdefault(heading, []).append(line)
    return {key: "\n".join(lines).strip() for key, lines in found.items()}


@pages
def test_front_matter(code):
    rule = load_rule(code)
    assert rule.code == code, f"{code}.md says that it is {rule.code}"
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name), f"{code}.md: '{rule.name}' is not kebab-case"
    assert rule.severity in ("error", "warning", "remark"), f"{code}.md: unknown severity '{rule.severity}'"
    assert rule.summary and rule.summary[-1] not in ".!", f"{code}.md: the summary ends in a period"
    assert "\n" not in rule.summary
    first = rule.summary.split()[0]
    assert first[0].islower() or first[0] in "`(-" or not first.istitle() or len(first) == 1, (
        f"{code}.md: the summary starts with a capital: {rule.summary}"
    )
    if rule.shared_messages:
        assert rule.frames, f"{code}.md has shared_messages, but no frames that tell them apart"


def test_names_are_unique():
    owners = {}
    for rule in all_rules():
        assert owners.setdefault(rule.name, rule.code) == rule.code, f"{rule.code} and {owners[rule.name]}: {rule.name}"


@pages
def test_page_has_all_sections(code):
    rule, found = load_rule(code), sections(code)
    assert rule.explanation.startswith(f"# {code}: {rule.name}\n"), f"{code}.md must begin with '# {code}: {rule.name}'"
    wanted = [name for name in SECTIONS if rule.checked or name not in ("Example", "Use instead")]
    missing = [name for name in wanted if not found.get(name)]
    assert not missing, f"{code}.md lacks {', '.join(missing)}"
    assert ("Example" in found) == ("Use instead" in found), f"{code}.md has only one of Example and Use instead"
    if rule.exact_rewrite or rule.repairing_rewrite:
        assert found.get("Fix safety"), f"{code}.md names a rewrite, but has no section 'Fix safety'"
    order = [name for name in found if name in SECTIONS]
    assert order == [name for name in SECTIONS if name in order], f"{code}.md: sections are out of order: {order}"


@pages
def test_rewrites_exist(code):
    from mosaic_verify.passes import pass_names

    rule = load_rule(code)
    for name in (rule.exact_rewrite, rule.repairing_rewrite):
        assert not name or name in pass_names(), f"{code}.md names the rewrite '{name}', which is not a pass"


@pages
def test_checked_rules_are_emitted_and_tested(code):
    if not load_rule(code).checked:
        assert code not in registered(), f"a check emits {code}, but {code}.md says checked = false"
        return
    assert code in emitted(), f"{code}.md says that the rule is checked, but nothing in the package emits it"
    assert code in words("cases"), f"{code} has no case: it occurs neither in a lit file nor in a test"


@cache
def registered():
    for module in pkgutil.iter_modules([str(PACKAGE / "rules")]):
        importlib.import_module(f"mosaic_verify.rules.{module.name}")
    return registry.registered_codes()


def test_what_is_emitted_has_a_page():
    missing = sorted((emitted() | registered()) - set(rule_codes()))
    assert not missing, f"no page for {', '.join(missing)}"


def test_pages_refer_to_rules_that_exist():
    for code in rule_codes():
        unknown = sorted(set(CODE.findall(load_rule(code).explanation)) - set(rule_codes()))
        assert not unknown, f"{code}.md refers to {', '.join(unknown)}"


def test_messages_in_findings_follow_the_style():
    wrong = []
    for path in SOURCES:
        for node in ast.walk(parsed(path)):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "Finding" or len(node.args) < 2:
                continue
            text = _template(node.args[1])
            if text is not None and not _styled(text):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {text}")
    assert not wrong, "lower case, no final period, unless it is a documented text:\n" + "\n".join(wrong)


def _template(node):
    """The text of a string or f-string, with {} for each value; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def _styled(text):
    """In MLIR's style, or as it is documented: then it matches, or begins as, one of the documented texts."""
    first = re.match(r"[A-Za-z]+", text)
    plain = not first or not first[0].istitle() or len(first[0]) == 1
    if (plain and not text.endswith(".")) or match_message(text):
        return True
    beginning = text.partition("{}")[0]
    return len(beginning) > 8 and any(
        message.startswith(beginning) for rule in all_rules() for message in rule.messages
    )


@pages
def test_examples_do_what_the_page_says(code):
    found = sections(code)
    if "Example" not in found:
        pytest.skip("explained only")
    wrong, right = _run(code, "Example", found["Example"]), _run(code, "Use instead", found["Use instead"])
    codes = sorted({d.code for d in wrong.diagnostics})
    assert code in codes, f"the example of {code}.md gives {codes or 'no finding'}{_raised(wrong)}"
    codes = sorted({d.code for d in right.diagnostics})
    assert code not in codes, f"what {code}.md says to use instead gives {code} too: {codes}"
    assert right.error is None, f"what {code}.md says to use instead is refused by JAX{_raised(right)}"
    for diagnostic in wrong.diagnostics:
        if diagnostic.code:
            assert _styled(diagnostic.message), f"{code}.md: lower case, no final period: {diagnostic.message}"


def _raised(report):
    return f" (JAX raised {type(report.error).__name__}: {report.error})" if report.error is not None else ""


def _run(code, name, section):
    blocks = re.findall(r"```(\w+) ?([^\n]*)\n(.*?)```", section, re.S)
    assert len(blocks) == 1, f"section '{name}' of {code}.md must have one code block, not {len(blocks)}"
    language, pipeline, text = blocks[0]
    failure = ""
    try:
        if language == "mlir":
            assert pipeline, "it names no pipeline"
            return mosaic_verify.run(text, pipeline)
        assert language == "python", f"it is in {language}"
        space = {"__name__": f"{code}_{'wrong' if name == 'Example' else 'right'}"}
        exec(compile(text, f"{code}.md ({name})", "exec"), space)
        return space["report"]
    except Exception as error:
        failure = f"the block of '{name}' in {code}.md raises {type(error).__name__}: {error}"
    pytest.fail(failure, pytrace=False)


def test_docs_are_current():
    from mosaic_verify.tools.cli_markdown import rules_as_markdown

    path = ROOT / "docs" / "rules.md"
    assert path.is_file() and path.read_text(encoding="utf-8") == rules_as_markdown(all_rules()), (
        "docs/rules.md is out of date: mosaic-verify rules --format markdown > docs/rules.md"
    )
