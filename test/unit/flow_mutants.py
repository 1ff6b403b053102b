"""Twenty correct kernels for the mutation test, small enough for every interleaving, and the programs of them."""

from flow_simulator import At, E, Kernel, Rep

from mosaic_verify.model.flow import (
    Apply,
    Axis,
    Barrier,
    BarrierUse,
    Block,
    Branch,
    Const,
    Event,
    Loop,
    Program,
    Region,
    Var,
)

SLOT, CELL = 1 << 14, 128  # bits


def load(slot=0, barrier=0, **when):
    return E("load", _at(slot), barrier=_at(barrier), **when)


def store(slot=0, **when):
    return E("store", _at(slot), **when)


def copy(slot=0, cell=0, **when):
    return E("copy", _at(slot), _at(cell), **when)


def mma(cell=0, barrier=None, width=1, **when):
    return E("mma", cell=_at(cell), barrier=None if barrier is None else _at(barrier), width=width, **when)


def commit(barrier, **when):
    return E("commit", barrier=_at(barrier), **when)


def arrive(barrier, **when):
    return E("arrive", barrier=_at(barrier), **when)


def wait(barrier, **when):
    return E("wait", barrier=_at(barrier), **when)


FENCE = E("fence")


def _at(index):
    return index if isinstance(index, At) else At(index)


def ring(mod, base=0):
    """(base + i) mod `mod`."""
    return At(base, 1, mod)


def _one(*thread, arrivals, slots=1, cells=1):
    return Kernel((tuple(thread),), arrivals, slots, cells)


KERNELS = {
    "plain": _one(load(), wait(0), copy(), mma(0, 1), wait(1), arrivals=(1, 1)),
    "two tiles, one MMA": _one(
        load(0), load(1), wait(0), copy(0, 0), copy(1, 1), mma(0, 1, 2), wait(1), arrivals=(2, 1), slots=2, cells=2
    ),
    "two MMAs, one commit": _one(
        load(0), load(1), wait(0), copy(0, 0), mma(0), copy(1, 1), mma(1), commit(1), wait(1),
        arrivals=(2, 1), slots=2, cells=2,
    ),
    "K loop": _one(Rep(3, (load(), wait(0), copy(), mma(0, 1), wait(1))), arrivals=(1, 1)),
    "K loop, two cells": _one(
        Rep(3, (load(), wait(0), copy(0, ring(2)), mma(ring(2), 1), wait(1))), arrivals=(1, 1), cells=2
    ),
    "loaded at once": _one(
        load(0), load(1), load(2), wait(0), Rep(3, (copy(ring(3), 0), mma(0))), commit(1), wait(1),
        arrivals=(3, 1), slots=3,
    ),
    "copied at once": _one(
        load(0), load(1), wait(0), Rep(2, (copy(ring(2), ring(2)),)), Rep(2, (mma(ring(2)),)), commit(1), wait(1),
        arrivals=(2, 1), slots=2, cells=2,
    ),
    "ring of 2, loaded early": _one(
        load(0, 0),
        Rep(3, (load(ring(2, 1), ring(2, 1), last=2), wait(ring(2)), copy(ring(2), ring(2)), mma(ring(2), 2), wait(2))),
        arrivals=(1, 1, 1), slots=2, cells=2,
    ),
    "ring of 2, loaded late": _one(
        load(0, 0),
        Rep(3, (wait(ring(2)), copy(ring(2), 0), mma(0, 2), wait(2), load(ring(2, 1), ring(2, 1), last=2))),
        arrivals=(1, 1, 1), slots=2,
    ),
    "ring of 3": _one(
        load(0, 0), load(1, 1),
        Rep(3, (wait(ring(3)), copy(ring(3), 0), mma(0, 3), wait(3), load(ring(3, 2), ring(3, 2), last=1))),
        arrivals=(1, 1, 1, 1), slots=3,
    ),
    "registers": _one(store(), FENCE, copy(), mma(0, 0), wait(0), arrivals=(1,)),
    "registers in a loop": _one(Rep(3, (store(), FENCE, copy(), mma(0, 0), wait(0))), arrivals=(1,)),
    "load, then registers": _one(
        load(0), wait(0), store(1), FENCE, copy(0, 0), copy(1, 1), mma(0, 1, 2), wait(1),
        arrivals=(1, 1), slots=2, cells=2,
    ),
    "loader and multiplier": Kernel(
        ((Rep(3, (load(0, 0), wait(1))),), (Rep(3, (wait(0), copy(), mma(0, 1))),)), (1, 1), 1, 1
    ),
    "loader ahead": Kernel(
        (
            (load(0, 0), load(1, 1), wait(2), load(0, 0)),
            (wait(0), copy(0, 0), mma(0, 2), wait(1), copy(1, 0), mma(0, 3), wait(0), copy(0, 0), mma(0, 3)),
        ),
        (1, 1, 1, 2), 2, 1,
    ),
    "copier and multiplier": Kernel(
        ((load(), wait(0), copy(), arrive(1)), (wait(1), mma(0, 2), wait(2))), (1, 1, 1), 1, 1
    ),
    "copier waits": Kernel(
        (
            (load(0), load(1), wait(0), copy(0, 0), commit(1), wait(2), copy(1, 0), commit(1)),
            (wait(1), mma(0, 2), wait(1), mma(0, 2)),
        ),
        (2, 1, 1), 2, 1,
    ),
    "copier a cell ahead": Kernel(
        (
            (load(0), load(1), wait(0), copy(0, 0), commit(1), copy(1, 1), commit(2), wait(3), copy(1, 0), commit(1)),
            (wait(1), mma(0, 3), wait(2), mma(1), wait(1), mma(0), commit(4), wait(4)),
        ),
        (2, 1, 1, 1, 1), 2, 2,
    ),
    "loader, copier, multiplier": Kernel(
        (
            (load(0, 0), wait(3), load(0, 0)),
            (wait(0), copy(), commit(1), wait(0), wait(2), copy(), commit(1)),
            (wait(1), mma(0), commit(2), arrive(3), wait(1), mma(0), commit(4), wait(4)),
        ),
        (1, 1, 1, 1, 1), 1, 1,
    ),
    "registers of another thread": Kernel(
        ((store(), FENCE, arrive(0)), (wait(0), copy(), mma(0, 1), wait(1))), (1, 1), 1, 1
    ),
}  # fmt: skip


def program_of(kernel):
    """The same kernel for the event model, loops as loops. Places are "THREAD.NUMBER KIND"."""
    axis = Axis("wg")
    translator = _Translator()
    bodies = [translator.block(thread, str(number)) for number, thread in enumerate(kernel.threads)]
    body = Block([Branch(axis, bodies, [() for _ in bodies], ())])
    barriers = {number: Barrier(count) for number, count in enumerate(kernel.arrivals)}
    return Program(body, threads=("wg", len(kernel.threads)), barriers=barriers)


class _Translator:
    def __init__(self):
        self.loops = 0

    def block(self, items, where, variable=None):
        block = Block()
        for number, item in enumerate(items):
            place = f"{where}.{number}"
            if isinstance(item, Rep):
                self.loops += 1
                key = ("i", self.loops)
                following = Apply("add", (Var(key), Const(1)))
                inside = self.block(item.body, place, Var(key))
                loop = Loop((key,), (Const(0),), (following,), (("end", key),), inside, Const(item.count))
                block.statements.append(loop)
            else:
                block.statements += self.event(item, f"{place} {item.kind}", variable)
        return block

    def index(self, at, variable):
        if not at.step or variable is None:
            return Const(at(0))
        sum_ = Apply("add", (Const(at.base), Apply("mul", (Const(at.step), variable))))
        return Apply("rem", (sum_, Const(at.mod)))

    def event(self, e, place, variable):
        slot, cell = self.index(e.slot, variable), self.index(e.cell, variable)
        shared = Region("smem", 0, SLOT, ((slot, SLOT),))
        tensor = Region("tmem", 0, CELL * e.width, ((cell, CELL),))
        found = []
        for number in range(8) if e.barrier is not None else (None,):
            predicate = self.predicate(e, variable)
            barrier = None
            if number is not None:
                here = Apply("eq", (self.index(e.barrier, variable), Const(number)))
                predicate = here if predicate is None else Apply("and", (predicate, here))
                if isinstance(here.args[0], Const):
                    if here.args[0].value != number:
                        continue
                    predicate = self.predicate(e, variable)
                barrier = BarrierUse(number)
            kind, options = e.kind, {}
            if kind in ("load", "store"):
                options["writes"] = shared
            elif kind == "copy":
                options |= {"reads": shared, "writes": tensor}
            elif kind == "mma":
                options["reads"] = tensor
            found.append(Event(kind, place, barrier=barrier, predicate=predicate, **options))
        return found

    def predicate(self, e, variable):
        if variable is None or (e.first == 0 and e.last > 1000):
            return None
        above = Apply("ge", (variable, Const(e.first)))
        return Apply("and", (above, Apply("lt", (variable, Const(e.last)))))
