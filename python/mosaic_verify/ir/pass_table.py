"""The table of `--list-passes`."""

from __future__ import annotations

from dataclasses import MISSING, fields

from jaxlib.mlir import ir

from mosaic_verify.ir.automatic import SUMMARIES as AUTOMATIC
from mosaic_verify.ir.passes import Pass
from mosaic_verify.ir.pipeline import registry
from mosaic_verify.ir.shipped_passes import available


def describe(context: ir.Context) -> str:
    """Passes and pipelines as text: `  --name   -   summary`, options indented by 4 below."""
    table = registry()
    rows: list[tuple[int, str, str]] = []
    for name in table.pass_names():
        kind = table.load_pass(name)
        rows.append((2, f"--{name}", summary(kind)))
        rows += [(6, f"--{key}", text) for key, text in _options(kind)]
    shipped = [(2, f"--{name}", text) for name, text in available(context).items()]
    pipelines = [(2, f"--{name}", text) for name, text in AUTOMATIC.items()]
    width = max(indent + len(shown) for indent, shown, _ in rows + shipped + pipelines)
    sections = (
        ("Passes", rows),
        ("Passes that jaxlib ships", shipped),
        ("Pass Pipelines", pipelines),
    )
    return "\n".join(title + ":\n" + "".join(_row(row, width) for row in part) for title, part in sections)


def summary(kind: type[Pass]) -> str:
    """The first line of a pass's docstring, without a period."""
    return (kind.__doc__ or "").strip().partition("\n")[0].removesuffix(".")


def _row(row: tuple[int, str, str], width: int) -> str:
    indent, shown, text = row
    return f"{' ' * indent}{shown:<{width - indent}}   -   {text}\n"


def _options(kind: type[Pass]) -> list[tuple[str, str]]:
    """Options with their type, and the line `name: text` of the docstring or else the default."""
    lines = [line.strip() for line in (kind.__doc__ or "").splitlines()]
    found: list[tuple[str, str]] = []
    for field in fields(kind):
        text = next((line.partition(": ")[2] for line in lines if line.startswith(f"{field.name}: ")), "")
        default = "" if field.default is MISSING else f"default {field.default!r}"
        found.append((f"{field.name.replace('_', '-')}=<{_value_kind(field.type)}>", text or default))
    return found


def _value_kind(annotation: object) -> str:
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    text = text.removesuffix("| None").strip()
    return {"str": "string", "bool": "bool", "int": "int"}.get(text, "list" if text.startswith("tuple") else text)
