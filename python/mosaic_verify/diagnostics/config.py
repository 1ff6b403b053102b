"""Suppression from flags, the environment and `[tool.mosaic-verify]` in `pyproject.toml`.

[tool.mosaic-verify]
select = ["MV"]
ignore = ["MV207"]
[tool.mosaic-verify.per-file-ignores]
"legacy/*.py" = ["MV7"]
[tool.mosaic-verify.severity]
MV709 = "error"
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from mosaic_verify.diagnostics.diagnostic import ERROR, REMARK, WARNING
from mosaic_verify.diagnostics.source import Sources
from mosaic_verify.diagnostics.suppression import OFF, Suppression

_TABLE = b"tool.mosaic-verify"
_KEYS = ("select", "ignore", "per-file-ignores", "severity")
_HUNDRED = re.compile("MV[1-9]?")  # a whole family, whether or not it has a rule yet
_SEVERITIES = (ERROR, WARNING, REMARK, OFF)


class ConfigError(ValueError):
    """A code or a configuration file that makes no sense; the text is one line."""


def configured_suppression(
    start: str | None = None,
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    werror: Iterable[str] | None = None,
    sources: Sources | None = None,
) -> Suppression:
    """The suppression for a run on `start`, a file or folder (None: the working directory).

    `select` replaces the configuration's; `ignore`, MOSAIC_VERIFY_IGNORE and the configuration's are added up.

    Raises:
      ConfigError: an unknown code, or a configuration that cannot be read.
    """
    chosen, ignored = read_codes(select, "--select"), read_codes(ignore, "--ignore")
    ignored += read_codes(re.split(r"[,\s]+", os.environ.get("MOSAIC_VERIFY_IGNORE", "")), "MOSAIC_VERIFY_IGNORE")
    raised = None if werror is None else read_codes(werror, "--werror")
    path, table = find_configuration(start)
    made = Suppression(select=chosen, ignore=ignored, werror=raised, sources=sources or Sources())
    if path is None:
        return made
    made.folder = os.path.dirname(path)
    made.select = chosen or read_codes(_strings(table, "select", path), path)
    made.standing_ignore = read_codes(_strings(table, "ignore", path), path)
    per_file = _table(table, "per-file-ignores", path)
    made.per_file_ignores = tuple((glob, read_codes(_strings(per_file, glob, path), path)) for glob in per_file)
    made.severity = _table(table, "severity", path)
    read_codes(made.severity, path)
    for code, severity in made.severity.items():
        if severity not in _SEVERITIES:
            raise ConfigError(f"{path}: severity of {code} is {severity!r}, expected one of {', '.join(_SEVERITIES)}")
    return made


def find_configuration(start: str | None = None) -> tuple[str | None, Mapping[str, Any]]:
    """The nearest `pyproject.toml` above `start` that has our table, and the table. Raises ConfigError."""
    folder = os.path.abspath(start or os.curdir)
    while True:
        path = os.path.join(folder, "pyproject.toml")
        try:
            with open(path, "rb") as stream:
                data = stream.read()
        except OSError:
            data = b""
        if _TABLE in data:
            return path, _read(path, data)
        parent = os.path.dirname(folder)
        if parent == folder:
            return None, {}
        folder = parent


def _read(path: str, data: bytes) -> Mapping[str, Any]:
    import tomllib

    try:
        table = tomllib.loads(data.decode()).get("tool", {}).get("mosaic-verify", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: [tool.mosaic-verify] is not a table")
    for key in table:
        if key not in _KEYS:
            raise ConfigError(
                f"{path}: unknown key '{key}' in [tool.mosaic-verify], expected one of {', '.join(_KEYS)}"
            )
    return table


def _table(table: Mapping[str, Any], key: str, path: str) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: '{key}' in [tool.mosaic-verify] is not a table")
    return value


def _strings(table: Mapping[str, Any], key: str, path: str) -> list[str]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{path}: '{key}' in [tool.mosaic-verify] is not a list of codes")
    return value


def read_codes(words: Iterable[str], where: str) -> tuple[str, ...]:
    """Codes, prefixes of codes and names of rules, each of which must match a rule.

    Raises:
      ConfigError: one that matches none; `where` says in the text who gave it.
    """
    found: list[str] = []
    for word in filter(None, (each.strip() for each in words)):
        code = word.upper()
        if code != "ALL" and not _HUNDRED.fullmatch(code):
            from mosaic_verify.rules.page import rule_codes

            if not any(known.startswith(code) for known in rule_codes()):
                code = _name(word, where)
        found.append(code)
    return tuple(found)


def _name(word: str, where: str) -> str:
    import difflib

    from mosaic_verify.rules.page import all_rules

    rules = all_rules()
    if any(rule.name == word for rule in rules):
        return word
    near = difflib.get_close_matches(word, [each for rule in rules for each in (rule.code, rule.name)], 1)
    raise ConfigError(f"{where}: unknown code '{word}'" + (f", did you mean '{near[0]}'?" if near else ""))
