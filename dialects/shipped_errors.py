"""What the verifiers of shipped dialects say, in terms of our rules; and texts that parse without those dialects.

jaxlib's parser always verifies, so a module that a verifier refuses never reaches a pass. The messages are those of the
`mosaic_gpu` dialect in jaxlib 0.10.2 and 0.12.0, and of MLIR's generated operand constraints.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from mosaic_verify.diagnostics.coded import coded, documented
from mosaic_verify.diagnostics.diagnostic import Diagnostic, Note
from mosaic_verify.dialects.mosaic_gpu_values import CLUSTER_STAND_IN, TMEM_STAND_IN

_MMA = "mosaic_gpu.tcgen05_mma"
_COPY = "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"
_ALLOC = "mosaic_gpu.tmem_alloc"

Said = tuple[str, str]  # code and message
_Make = Callable[..., Said]


def _metadata_shape(m: str, columns: str, a_rows: str, a_columns: str) -> Said:
    return "MV101", f"A sparse metadata shape mismatch: expected ({a_rows}, {a_columns}), got ({m}, {columns})"


def _verbatim(code: str, text: str) -> _Make:
    return lambda *found: (code, text.format(*found))


_SPACE_CODES = {"a_sparse_metadata": "MV104"}

# (op, the verifier's message, what we say)
_MESSAGES: tuple[tuple[str, re.Pattern[str], _Make], ...] = tuple(
    (op, re.compile(pattern), make)
    for op, pattern, make in (
        (
            _MMA,
            r"The `a_sparse_metadata` shape \[(\d+), (\d+)\] must match the shape of `a` \[(\d+), (\d+)\]\.",
            _metadata_shape,
        ),
        (
            _MMA,
            r"For sparse MMA, `a`'s contracting dimension (\d+) must be half the first dimension of `b`: (\d+)\.",
            _verbatim(
                "MV113", "For sparse MMA, `a`'s contracting dimension {} must be half the first dimension of `b`: {}."
            ),
        ),
        (
            _MMA,
            r"The `a` and `b` inputs must have the same element type(.*?)\.?",
            _verbatim("MV116", "The `a` and `b` inputs must have the same element type{}"),
        ),
        (
            _MMA,
            r"(The accumulator's first dimension \d+ must be equal to the first dimensions? of `a`: \d+)\.",
            _verbatim("MV108", "{}"),
        ),
        (
            _MMA,
            r"(`b`'s non-contracting dimension \d+ must be .* the accumulator's second dimension \d+.*?)\.",
            _verbatim("MV108", "{}"),
        ),
        (
            _MMA,
            r"The accumulator's first dimension must be a multiple of \d+,? but got (\d+)\.",
            _verbatim("MV110", "Only M=128 and M=64 are supported for MMA, but got M={}"),
        ),
        (_MMA, r"(Either none or both scales should be provided)\.", _verbatim("MV123", "{}")),
        (
            _MMA,
            r"The (accumulator|`\w+` input) must be in (.+), but got (.+)\.",
            lambda what, spaces, got: (
                _SPACE_CODES.get(what.split("`")[1] if "`" in what else "", "MV105"),
                f"The {what} must be in {spaces}, but got {got}.",
            ),
        ),
        (
            _COPY,
            r"The first dimension of the TMEM memref must be a multiple of 128, but got (\d+)\.",
            _verbatim("MV130", "TMEM reference must have a multiple of 128 rows, but got {}"),
        ),
        (
            _COPY,
            r"The second dimension of the TMEM memref must be a multiple of 64, but got (\d+)\.",
            _verbatim("MV130", "TMEM reference must have a multiple of 64 colums, but got {}"),
        ),
        (
            _COPY,
            r"The `source` memref must have shape (\(.+\)), but got (\(.+\))\.",
            _verbatim("MV130", "SMEM has {1}, but expected {0}"),
        ),
        (_COPY, r"(The `source` memref must be in SMEM)\.", _verbatim("MV133", "{}")),
        (_COPY, r"(The tmem memref must have a mosaic_gpu\.tmem memory space but got: .+)", _verbatim("MV133", "{}")),
        (
            _ALLOC,
            r"The number of allocated columns must be less than or equal to 512 but got: (\d+)",
            _verbatim("MV601", "After rounding up, got {} columns, exceeding the limit of 512"),
        ),
    )
)

_OPERAND = re.compile(r"operand #(\d+) must be (\d)D memref of (.+) values, but got '(.+)'")
_MEMREF = re.compile(r"memref<((?:[\d?]+x)*)([^,>]+)")


def map_refusal(diagnostic: Diagnostic) -> Diagnostic | None:
    """The same error with our code and text, or None when no rule speaks of it. MLIR's own text becomes a note."""
    said = finding_of(diagnostic.op, diagnostic.message)
    if said is None and not _OPERAND.match(diagnostic.message):  # those are too much alike to tell without the op
        code = documented(diagnostic.message)
        said = (code, diagnostic.message) if code else None
    if said is None:
        return None
    note = Note(f"refused by MLIR's verifier: {diagnostic.text}", diagnostic.location)
    return coded(*said, diagnostic.location, diagnostic.op, (note, *diagnostic.notes))


def finding_of(op: str, message: str) -> Said | None:
    """The rule behind a verifier's message about `op`, and what we say; None when no rule speaks of it."""
    for name, pattern, make in _MESSAGES:
        if op == name and (match := pattern.fullmatch(message)) is not None:
            return make(*match.groups())
    operand = _OPERAND.match(message)
    if operand is None or op not in (_MMA, _COPY):
        return None
    number, rank, wanted, got = int(operand[1]), int(operand[2]), operand[3], _MEMREF.match(operand[4])
    if got is None:
        return None
    shape = tuple(int(size) if size != "?" else -1 for size in got[1].split("x") if size)
    return _mma_operand(number, wanted, shape, got[2]) if op == _MMA else _copy_operand(number, rank, shape, got[2])


def _mma_operand(number: int, wanted: str, shape: tuple[int, ...], element: str) -> Said:
    """An operand of the MMA that is not two-dimensional or has a wrong element type."""
    name = ("accumulator", "a", "b")[number] if number < 3 else "metadata" if wanted.startswith("2-bit") else "scale"
    if len(shape) != 2:
        return ("MV107", f"operand `{name}` must be 2D, but got shape {shape}")
    if name == "metadata":
        return ("MV102", f"A sparse metadata dtype mismatch: expected i2, got {element}")
    if name == "accumulator":
        return ("MV115", f"Unsupported accumulator dtype: {element}")
    if name == "scale":
        return ("MV140", f"Scale element type mismatch: expected f8e8m0fnu or f8e4m3fn, got {element}")
    return ("MV140", f"Unsupported element type: {element}")


def _copy_operand(number: int, rank: int, shape: tuple[int, ...], element: str) -> Said:
    """A side of the metadata copy of a wrong rank or element type."""
    side = "SMEM" if number == 0 else "TMEM"
    if len(shape) != rank:
        return ("MV130", f"the {side} reference must be {rank}D, but got shape {shape}")
    return ("MV131", f"Unsupported dtype: {element}, only i2 supported")


_PRETTY = re.compile(r"^(?P<head>\s*(?:%[\w#:]+ = )?)mosaic_gpu\.(?P<name>\w+)\b(?P<rest>[^\n]*)$", re.M)
_SMEM_POINTER = re.compile(
    r"\s*smem_ptr\((?P<value>%\w+) : (?P<type>.+)\)\s*(?P<attributes>\{.*\})?\s*-> (?P<result>.+)"
)
_LOCATION = re.compile(r"\s+loc\(.*\)$")
# Of one length with what they stand for, so that columns stay: memrefs take neither elements nor (in 0.10.2) memory
# spaces of an unregistered dialect.
_STAND_INS = (
    (re.compile(r"!mosaic_gpu\.barrier(?:<[^<>]*>)?"), "i64"),
    (re.compile(r"#mosaic_gpu\.tmem\b"), TMEM_STAND_IN),
    (re.compile(r"#mosaic_gpu\.smem_cluster\b"), CLUSTER_STAND_IN),
)


def relax(text: str) -> str:
    """A module's text so that it parses where `mosaic_gpu` is not registered; lines stay, columns where possible."""
    for pattern, stand_in in _STAND_INS:
        text = pattern.sub(lambda match, to=stand_in: to.ljust(len(match[0])), text)
    return _PRETTY.sub(_generic, text)


def _generic(match: re.Match[str]) -> str:
    """An op in its own syntax as a generic one; operands of ops that no rule looks at are dropped."""
    head, name, rest = match["head"], match["name"], match["rest"]
    location = _LOCATION.search(rest)
    if location:
        rest = rest[: location.start()]
    end = location[0] if location else ""
    pointer = _SMEM_POINTER.fullmatch(rest) if name == "tmem_alloc" else None
    if pointer is not None:
        attributes = f" {pointer['attributes']}" if pointer["attributes"] else ""
        types = f"({pointer['type']}) -> {pointer['result']}"
        return f'{head}"mosaic_gpu.{name}"({pointer["value"]}){attributes} : {types}{end}'
    result = rest.rpartition("->")[2].strip() if "->" in rest else "()"
    return f'{head}"mosaic_gpu.{name}"() : () -> {result if head.strip() else "()"}{end}'
