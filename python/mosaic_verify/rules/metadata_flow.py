"""Findings about the dataflow of sparse metadata: MV701 to MV713, and MV714 for what cannot be decided."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping

from mosaic_verify.model.flow import Answer, Program, Violation
from mosaic_verify.rules.finding import Finding, FindingNote

FLOW_CODES = frozenset(f"MV7{number:02}" for number in range(1, 15))

_ROLES = {"accumulator": "its accumulator", "a": "A", "a_scale": "the scales of A", "b_scale": "the scales of B"}


def flow_findings(program: Program, answer: Answer, *, report_unknown: bool = False) -> Iterator[Finding]:
    """The findings of an analysis of `program`; places are those of its events.

    Args:
      report_unknown: adds a remark (MV714) for each MMA and copy about which nothing can be said.
    """
    for violation in answer.violations:
        yield _TEXTS[violation.kind](violation)
    unsigned: dict[str, list[str]] = {}
    for place, role in program.unsigned:
        unsigned.setdefault(place, []).append(role.upper())
    for place, roles in unsigned.items():
        yield Finding(
            "MV713",
            f"{' and '.join(roles)} of this MMA {'are' if len(roles) > 1 else 'is'} uint8, but the instruction "
            "multiplies int8: values above 127 are taken as negative",
            place,
            (),
            ("use int8 operands",),
        )
    if report_unknown:
        for place, reason in answer.undecided:
            yield Finding("MV714", f"the dataflow of the metadata cannot be decided here: {reason}", place)


def _detail(violation: Violation) -> Mapping[str, object]:
    return dict(violation.detail)


def _iterations(path: tuple[int, ...]) -> str:
    if not path:
        return ""
    if len(path) == 1:
        return f" in iteration {path[0]} of the loop"
    return f" in iterations {', '.join(map(str, path))} of the loops"


def _columns(pair: object) -> str:
    first, behind = pair  # type: ignore[misc]
    return f"column {first}" if behind - first == 1 else f"columns {first} to {behind - 1}"


def _other(violation: Violation, text: str) -> tuple[FindingNote, ...]:
    return tuple(FindingNote(place, text) for _, place in violation.others[:1])


def _not_copied(v: Violation) -> Finding:
    return Finding(
        "MV701",
        f"no copy writes the sparse metadata that this MMA reads{_iterations(v.iteration)}",
        f"{v.place}.metadata",
        (FindingNote(v.place, "it multiplies with whatever tensor memory holds"),),
        ("call `plgpu.async_copy_sparse_metadata_to_tmem(metadata_smem, metadata_tmem)` before the MMA",),
    )


def _copied_after(v: Violation) -> Finding:
    return Finding(
        "MV702",
        f"the sparse metadata is copied after the MMA that reads it{_iterations(v.iteration)}",
        f"{v.place}.metadata",
        _other(v, "the copy is issued here, behind the MMA"),
        ("move the call of `plgpu.async_copy_sparse_metadata_to_tmem` before the MMA",),
    )


def _other_columns(v: Violation) -> Finding:
    detail = _detail(v)
    found, missing = detail.get("found"), _columns(detail["missing"])
    if found is None:
        note = f"this copy{_iterations(v.other_iteration)} writes another ref"
        message = "the sparse metadata of this MMA is in another ref than the copied one"
    else:
        note = f"this copy{_iterations(v.other_iteration)} writes {_columns(found)} of the ref"
        message = f"the MMA reads {_columns(detail['columns'])} of its metadata, but {missing} were not copied"
        if missing.startswith("column "):
            message = message.replace(" were not", " was not")
    return Finding(
        "MV703",
        f"{message}{_iterations(v.iteration)}",
        f"{v.place}.metadata",
        _other(v, note),
        ("use the same slice of the same ref in the copy and in the MMA",),
    )


def _overwritten_source(v: Violation) -> Finding:
    how = "TMA" if v.others[0][0] == "load" else "registers"
    return Finding(
        "MV704",
        f"the shared memory that this copy reads is overwritten by {how} before the copy is known to be complete"
        f"{_iterations(v.iteration)}",
        f"{v.place}.source",
        _other(v, f"it is overwritten here{_iterations(v.other_iteration)}"),
        (
            "wait for a barrier that the MMA (or `plgpu.tcgen05_commit_arrive`) behind the copy arrives at, before the "
            "memory is written again",
        ),
    )


def _not_committed(v: Violation) -> Finding:
    return Finding(
        "MV705",
        "metadata written from registers is copied without `plgpu.commit_smem()` in between",
        f"{v.place}.source",
        _other(v, "it is written here"),
        ("insert `plgpu.commit_smem()` before the copy",),
    )


def _aliased(v: Violation) -> Finding:
    detail = _detail(v)
    if detail["role"] == "write":
        message = "the sparse metadata is overwritten between its copy and the MMA that reads it"
    else:
        message = f"the sparse metadata of this MMA overlaps {_ROLES[str(detail['role'])]} in tensor memory"
    text = f"metadata in {_columns(detail['columns'])}, the other in {_columns(detail['other_columns'])}"
    return Finding(
        "MV706",
        f"{message}{_iterations(v.iteration)}",
        f"{v.place}.metadata",
        (*_other(v, "it is overwritten here"), FindingNote(v.place, f"{text} of the allocation")),
        ("put refs that are alive at the same time into one group of the `plgpu.RefUnion`",),
    )


def _other_thread(v: Violation) -> Finding:
    return Finding(
        "MV707",
        f"the sparse metadata is copied by another thread, and nothing orders the copy before the MMA"
        f"{_iterations(v.iteration)}",
        f"{v.place}.metadata",
        _other(v, f"the copy is issued here{_iterations(v.other_iteration)}"),
        (
            "issue the copy and the MMA from the same thread",
            "or let the copying thread arrive at a barrier with `orders_tensor_core=True` that the other one waits for",
        ),
    )


def _overwritten_metadata(v: Violation) -> Finding:
    return Finding(
        "MV708",
        "the sparse metadata is overwritten by another thread while this MMA may still read it"
        f"{_iterations(v.iteration)}",
        f"{v.place}.metadata",
        _other(v, f"it is overwritten here{_iterations(v.other_iteration)}"),
        ("let the copying thread wait for a barrier that `plgpu.tcgen05_commit_arrive` behind the MMA arrives at",),
    )


def _other_k(v: Violation) -> Finding:
    detail = _detail(v)
    return Finding(
        "MV709",
        f"A and B of this MMA start at K = {detail['k']}, its metadata belongs to K = {detail['metadata_k']}"
        f"{_iterations(v.iteration)}",
        f"{v.place}.metadata",
        (FindingNote(v.place, "followed back through the copies to the arrays in global memory"),),
        ("load the metadata tile of the K step that A and B are loaded for",),
    )


def _peer_not_waited(v: Violation) -> Finding:
    return Finding(
        "MV710",
        "a collective copy reads the shared memory of both CTAs, but nothing says that the other CTA's load is complete"
        f"{_iterations(v.iteration)}",
        f"{v.place}.source",
        _other(v, f"the load of the other CTA{_iterations(v.other_iteration)}"),
        (
            "behind the wait for the load, call `plgpu.barrier_arrive` and `plgpu.barrier_wait` on a "
            "`plgpu.ClusterBarrier` along the collective axis",
        ),
    )


def _load_not_waited(v: Violation) -> Finding:
    if v.others[0][0] == "store":
        return Finding(
            "MV711",
            f"metadata is copied before it is known to be written to shared memory{_iterations(v.iteration)}",
            f"{v.place}.source",
            _other(v, f"it is written here{_iterations(v.other_iteration)}"),
            ("write it first; across threads, arrive at a barrier behind `plgpu.commit_smem()` and wait for it",),
        )
    notes = _other(v, f"the load{_iterations(v.other_iteration)}")
    fix = "call `plgpu.barrier_wait` on the barrier of the load before the copy"
    detail = _detail(v)
    if detail:
        size = detail["size"]
        ended = f"this wait ends after {size} arrival{'' if size == 1 else 's'}, and the load may not be among them"
        notes = (*notes, FindingNote(v.others[1][1], ended))
        fix = _num_arrivals(detail["per_wait"])
    return Finding(
        "MV711",
        f"metadata is copied before its load into shared memory was waited for{_iterations(v.iteration)}",
        f"{v.place}.source",
        notes,
        (fix,),
    )


def _never_loaded(v: Violation) -> Finding:
    return Finding(
        "MV711",
        f"metadata is copied from shared memory that nothing has written{_iterations(v.iteration)}",
        f"{v.place}.source",
        _other(v, "this wait never ends: no more loads arrive at its barrier"),
        ("load it with `plgpu.copy_gmem_to_smem` and wait for its barrier before the copy",),
    )


def _never_observed(v: Violation) -> Finding:
    return Finding(
        "MV712",
        "nobody can observe that this MMA is complete: it has no barrier and no commit comes behind it",
        v.place,
        _other(v, "this wait never ends"),
        ("pass a barrier to `plgpu.tcgen05_mma`, or call `plgpu.tcgen05_commit_arrive(barrier)` behind it",),
    )


def _never_arrives(v: Violation) -> Finding:
    detail = _detail(v)
    got, needed, happened, size = (int(str(detail[name])) for name in ("got", "needed", "happened", "size"))
    per_wait = detail["per_wait"]
    if not got:
        message = "waits for a barrier that nothing arrives at"
    elif detail["short"]:
        message = (
            f"waits for arrival {needed} at a barrier that only {got} arrival{' reaches' if got == 1 else 's reach'}"
        )
    elif 0 < happened < size:
        message = (
            f"waits for {size} arrivals, but only {happened} come{'s' if happened == 1 else ''} before all threads wait"
        )
    else:
        message = "waits for an arrival that comes only behind a wait which never ends either"
    fix = "let the MMA, a commit or a load arrive at the barrier, and give it the matching number of arrivals"
    if per_wait and per_wait != size:
        fix = f"{_num_arrivals(per_wait)}, or let {size} arrivals come for each wait"
    return Finding("MV712", f"{message}{_iterations(v.iteration)}", v.place, _other(v, "the other wait"), (fix,))


def _num_arrivals(count: object) -> str:
    return f"give the barrier `num_arrivals={count}`, for that many arrivals come for each wait"


_TEXTS: dict[Hashable, Callable[[Violation], Finding]] = {
    "not-copied": _not_copied,
    "copied-after": _copied_after,
    "other-columns": _other_columns,
    "overwritten-source": _overwritten_source,
    "not-committed": _not_committed,
    "aliased": _aliased,
    "other-thread": _other_thread,
    "overwritten-metadata": _overwritten_metadata,
    "other-k": _other_k,
    "peer-not-waited": _peer_not_waited,
    "load-not-waited": _load_not_waited,
    "never-loaded": _never_loaded,
    "never-observed": _never_observed,
    "never-arrives": _never_arrives,
}
