"""Imports keep to the table of docs/architecture.md."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "mosaic_verify"

# A room, where it lives, and the rooms that it may import from (its own included), from docs/architecture.md.
ROOMS = {
    "model": (PACKAGE / "model", {"model"}),
    "rules": (PACKAGE / "rules", {"rules", "model"}),
    "diagnostics": (PACKAGE / "diagnostics", {"diagnostics", "rules"}),
    "ir": (PACKAGE / "ir", {"ir", "diagnostics"}),
    "dialects": (ROOT / "dialects", {"dialects", "ir", "diagnostics", "model"}),
    "passes": (ROOT / "passes", {"passes", "dialects", "ir", "diagnostics", "rules", "model"}),
}
# What a room may import from outside; a room that is not listed has no limit but `jax`.
OUTSIDE = {
    "model": {"numpy"},
    "rules": {"numpy"},
    "diagnostics": set(),
    "ir": {"jaxlib", "numpy"},
    "dialects": {"jaxlib", "numpy"},
    "passes": {"jaxlib", "numpy"},
}
SOURCES = [path for folder in (PACKAGE, ROOT / "dialects", ROOT / "passes") for path in sorted(folder.rglob("*.py"))]


def imported(path: Path) -> set[str]:
    """Full names of the modules that a file imports, wherever in the file."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def room_of(path: Path) -> str:
    return next((room for room, (folder, _) in ROOMS.items() if path.is_relative_to(folder)), "")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_keep_to_the_table(path):
    room = room_of(path)
    for name in imported(path):
        top, *rest = name.split(".")
        if top == "mosaic_verify":
            if room and rest:
                target = rest[0]
                if target in ROOMS:
                    assert target in ROOMS[room][1], f"{room} must not import {name}"
                else:
                    assert target in ("__version__",), f"{room} must not import {name}"
        elif top == "jax":
            assert path.is_relative_to(PACKAGE / "jax_hook"), f"only jax_hook imports jax, not {name}"
        elif room and top not in OUTSIDE[room]:
            assert top in sys.stdlib_module_names, f"{room} must not import {name}"


def test_the_table_in_the_docs_is_this_one():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for room, (folder, allowed) in ROOMS.items():
        row = re.search(rf"^\| `{re.escape(str(folder.relative_to(ROOT)))}/` \|.*\| (.*) \|$", text, re.M)
        assert row, f"docs/architecture.md has no row for {room}"
        listed = {name.strip() for name in row.group(1).split(",")} - {"numpy"}
        assert listed == allowed - {room}, f"{room}: the docs say {listed}"


def test_the_package_starts_without_jax_and_jaxlib():
    heavy = "('jax', 'jaxlib', 'numpy')"
    code = f"import sys, mosaic_verify; print(sorted(m for m in sys.modules if m.split('.')[0] in {heavy}))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
