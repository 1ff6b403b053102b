"""Tables that do not grow for ever."""

from __future__ import annotations

from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


def keep(table: dict[Key, Value], key: Key, value: Value, size: int) -> None:
    """Adds an entry to a table, which is emptied first when it has `size` of them."""
    if len(table) >= size:
        table.clear()
    table[key] = value
