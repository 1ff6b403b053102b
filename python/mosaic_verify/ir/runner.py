"""Runs the elements of a pipeline on an op."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from jaxlib.mlir import ir, passmanager

from mosaic_verify.diagnostics.diagnostic import ERROR, Diagnostic, Note
from mosaic_verify.ir.automatic import Automatic, Deferred, fitting_passes
from mosaic_verify.ir.capture import forward_diagnostics, from_error
from mosaic_verify.ir.locations import op_location
from mosaic_verify.ir.passes import Pass, Session


class Shipped(NamedTuple):
    """A C++ pass of jaxlib. `text` holds all options as MLIR prints them, `written` those that were given."""

    name: str
    written: str
    text: str


class Nest(NamedTuple):
    """A nested pipeline, run on each child whose name is `anchor` ("any": each isolated child)."""

    anchor: str
    elements: tuple[Element, ...]


Element: TypeAlias = "Pass | Deferred | Shipped | Automatic | Nest"


class Listener(Protocol):
    """Sees each pass run. For a shipped pass it may configure the pass manager."""

    def before(self, name: str, argument: str, op: ir.Operation, manager: passmanager.PassManager | None) -> None: ...

    def after(self, name: str, argument: str, op: ir.Operation, failed: bool) -> None: ...


class Runner:
    """Runs elements in order; see `mosaic_verify.ir.pipeline.run_pipeline`."""

    def __init__(self, session: Session, verify_each: bool = True, listener: Listener | None = None):
        self._session, self._verify_each, self._listener = session, verify_each, listener
        self._malformed: list[Diagnostic] = []  # what was said about ops that no pass can read

    def run_root(self, root: ir.Operation, anchor: str, elements: Sequence[Element]) -> bool:
        """Runs on the top-level op, which must be what the pipeline is anchored on."""
        if anchor not in ("any", root.name):
            message = f"can't run '{anchor}' pass manager on '{root.name}' op"
            self._session.engine.emit(Diagnostic(ERROR, message, op_location(root)))
            return False
        return self.run(root, elements)

    def run(self, op: ir.Operation, elements: Sequence[Element]) -> bool:
        """Runs elements on one op. Returns False when one of them failed."""
        group: list[Element] = []  # verification passes directly behind one another: all run
        for element in elements:
            for member in self._members(op, element):
                if read_only(member):
                    group.append(member)
                    continue
                if not self._verify(op, group):
                    return False
                group = []
                if not self._change(op, member):
                    return False
        return self._verify(op, group)

    def _members(self, op: ir.Operation, element: Element) -> Sequence[Element]:
        """What an element stands for. A pass that has nothing to look at is left out, unless someone listens."""
        if isinstance(element, Automatic):
            self._session.ran_own_pass |= element.name == "verify-all"
            return fitting_passes(element, op, self._session)
        if not isinstance(element, Deferred):
            return [element]
        self._session.ran_own_pass = True
        return [element.load()] if self._listener is not None or element.fits(op, self._session) else []

    def _verify(self, op: ir.Operation, group: Sequence[Element]) -> bool:
        before = self._session.engine.errors
        for member in group:
            if isinstance(member, Pass):
                self._session.expect(member.ops)
        for member in group:
            if isinstance(member, Nest):
                for child in list(children(op, member.anchor)):
                    self.run(child, member.elements)
            elif isinstance(member, Pass):
                self._run_pass(member, op)
        return self._session.engine.errors == before

    def _change(self, op: ir.Operation, member: Element) -> bool:
        if isinstance(member, Pass):
            return self._run_pass(member, op)
        if isinstance(member, Shipped):
            return self._run_shipped(member.name, member.written, op)
        assert isinstance(member, Nest)
        if self._listener is None and _only_shipped(member):
            return self._run_shipped("", _written(member), op)
        return all(self.run(child, member.elements) for child in list(children(op, member.anchor)))

    def _run_pass(self, one: Pass, op: ir.Operation) -> bool:
        session, before = self._session, self._session.engine.errors
        session.ran_own_pass = True
        if self._listener is not None:
            self._listener.before(type(one).__name__, one.name, op, None)
        try:
            with op.context, op.location:
                one.run(op, session)
        except Exception as error:
            found = one.malformed(op)
            if not found and os.environ.get("MOSAIC_VERIFY_STRICT") == "1":
                raise
            if not found:
                session.engine.emit(_fault(one, op, error))
            for place, wrong in found:
                diagnostic = Diagnostic(ERROR, f"'{place.name}' op {wrong}", op_location(place))
                if diagnostic not in self._malformed:  # each pass that reads the op comes across it
                    self._malformed.append(diagnostic)
                    session.engine.emit(diagnostic)
        finally:
            if not one.read_only:
                session.invalidate()
        if not one.read_only and self._verify_each and session.engine.errors == before:
            self._run_verifier(op)
        failed = session.engine.errors != before
        if self._listener is not None:
            self._listener.after(type(one).__name__, one.name, op, failed)
        return not failed

    def _run_verifier(self, op: ir.Operation) -> None:
        try:
            op.verify()
        except ir.MLIRError as error:
            for diagnostic in from_error(error):
                self._session.engine.emit(diagnostic)

    def _run_shipped(self, name: str, text: str, op: ir.Operation) -> bool:
        manager = passmanager.PassManager.parse(f"{op.name}({text})", op.context)
        manager.enable_verifier(self._verify_each)
        engine, before = self._session.engine, self._session.engine.errors
        if self._listener is not None:
            self._listener.before("", name, op, manager)
        try:
            with forward_diagnostics(op.context, engine.emit):
                manager.run(op)
            succeeded = True
        except ir.MLIRError as error:
            succeeded = False
            for diagnostic in from_error(error):
                engine.emit(diagnostic)
        finally:
            self._session.invalidate()
        if self._listener is not None:
            self._listener.after("", name, op, not succeeded)
        return succeeded and engine.errors == before


def children(op: ir.Operation, anchor: str) -> Iterator[ir.Operation]:
    """The direct children of `op` with the name `anchor`; "any": those on which a pass may be scheduled."""
    for region in op.regions:
        for block in region.blocks:
            for child in block.operations:
                if child.operation.name == anchor or (anchor == "any" and _is_isolated(child.operation)):
                    yield child.operation


def _is_isolated(op: ir.Operation) -> bool:
    """Whether MLIR would schedule a pass on `op` (registered and IsolatedFromAbove); the bindings do not tell."""
    manager = passmanager.PassManager("any", op.context)
    manager.enable_verifier(False)
    manager.add(lambda _op, _pass: None, name="probe", argument="probe")
    try:
        manager.run(op)
    except ir.MLIRError:
        return False
    return True


def read_only(element: Element) -> bool:
    """Whether an element only verifies."""
    if isinstance(element, Nest):
        return all(map(read_only, element.elements))
    if isinstance(element, Automatic):
        return element.name == "verify-all"
    if isinstance(element, Deferred):
        element = element.load()
    return isinstance(element, Pass) and element.read_only


def _only_shipped(element: Element) -> bool:
    if isinstance(element, Nest):
        return all(map(_only_shipped, element.elements))
    return isinstance(element, Shipped)


def _written(element: Element) -> str:
    if isinstance(element, Nest):
        return f"{element.anchor}({','.join(map(_written, element.elements))})"
    assert isinstance(element, Shipped)
    return element.written


def _fault(one: Pass, op: ir.Operation, error: Exception) -> Diagnostic:
    """Our own fault as one line; the traceback is shown when MOSAIC_VERIFY_STRICT=1."""
    message = f"pass '{one.name}' stopped because of an internal error: {type(error).__name__}: {error}"
    advice = "this is a fault of mosaic-verify, not of the program; MOSAIC_VERIFY_STRICT=1 shows where it arose"
    location = op_location(op)
    return Diagnostic(ERROR, message.partition("\n")[0], location, notes=(Note(advice, location),))
