"""Small kernels, and a simulator that runs them in every interleaving. It shares nothing with the event model.

A kernel is a list of threads, a thread a list of `E` (events) and `Rep` (loops). Shared memory is a row of slots,
tensor memory a row of cells; each load and store writes a value of its own. A kernel is wrong when, in some
interleaving,

* an MMA reads what nothing has written, at its own place or at that of the copy,
* it reads another value than in another interleaving,
* not every thread comes to its end,
* or an MMA is followed by no commit of its thread.

Copies and MMAs of a thread execute in order, some time after they were issued; an MMA waits for the copies of other
threads that a barrier orders before it. Loads write some time after they were issued, and then arrive. What registers
wrote becomes visible to copies some time later, at the latest when its thread executes a fence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

LIMIT = 60_000  # states


@dataclass(frozen=True)
class At:
    """An index: (base + step * iteration) mod `mod`."""

    base: int
    step: int = 0
    mod: int = 1 << 20

    def __call__(self, i):
        return (self.base + self.step * i) % self.mod


@dataclass(frozen=True)
class E:
    """An event: load(slot, barrier), store(slot), fence, copy(slot, cell), mma(cell, barrier or None, width in cells),
    commit(barrier), arrive(barrier), wait(barrier). In a loop it happens in iterations `first <= i < last`."""

    kind: str
    slot: At = At(0)
    cell: At = At(0)
    barrier: At | None = None
    width: int = 1
    first: int = 0
    last: int = 1 << 20


@dataclass(frozen=True)
class Rep:
    """A loop."""

    count: int
    body: tuple


@dataclass(frozen=True)
class Kernel:
    """`arrivals` has the number of arrivals that complete a phase of each barrier."""

    threads: tuple
    arrivals: tuple
    slots: int = 4
    cells: int = 4


class TooLarge(Exception):
    """The kernel has too many interleavings."""


def unroll(thread):
    """The events of a thread as (kind, slot, cell, barrier, width)."""
    flat = []
    for item in thread:
        body, count = (item.body, item.count) if isinstance(item, Rep) else ((item,), 1)
        for i in range(count):
            for e in body:
                if e.first <= i < e.last:
                    barrier = None if e.barrier is None else e.barrier(i)
                    flat.append((e.kind, e.slot(i), e.cell(i), barrier, e.width))
    return flat


def is_wrong(kernel):
    """Runs all interleavings. Raises TooLarge."""
    traces = [unroll(thread) for thread in kernel.threads]
    for trace in traces:
        last = max((n for n, e in enumerate(trace) if e[0] == "mma"), default=-1)
        if last >= 0 and not any(e[0] == "commit" or (e[0] == "mma" and e[3] is not None) for e in trace[last:]):
            return True
    return _Simulation(kernel, traces).wrong()


class _Simulation:
    """A state is (pcs, waits, queues, flying, stores, slots, cells, barriers, known)."""

    def __init__(self, kernel, traces):
        self.kernel, self.traces = kernel, traces
        self.read = {}  # values that each MMA has read

    def wrong(self):
        kernel, count = self.kernel, len(self.traces)
        barriers = tuple((0, 0, frozenset()) for _ in kernel.arrivals)
        waits = tuple((0,) * len(kernel.arrivals) for _ in range(count))
        start = (
            (0,) * count, waits, ((),) * count, frozenset(), frozenset(), (None,) * kernel.slots,
            (None,) * kernel.cells, barriers, (frozenset(),) * count,
        )  # fmt: skip
        seen, todo = {start}, [start]
        while todo:
            state = todo.pop()
            nexts = self.steps(state)
            if nexts is None:
                return True
            if not nexts and any(pc < len(t) for pc, t in zip(state[0], self.traces, strict=True)):
                return True
            for following in nexts:
                if following not in seen:
                    if len(seen) > LIMIT:
                        raise TooLarge
                    seen.add(following)
                    todo.append(following)
        return False

    def steps(self, state):
        """All states that may follow; None when an MMA reads what was not written, or not always the same."""
        found = []
        for thread in range(len(self.traces)):
            if state[0][thread] < len(self.traces[thread]):
                following = self.issue(state, thread)
                if following is not None:
                    found.append(following)
            if state[2][thread]:
                executed = self.execute(state, thread)
                if executed == "wrong":
                    return None
                if executed is not None:
                    found.append(executed)
        pcs, waits, queues, flying, stores, slots, cells, barriers, known = state
        for load in flying:
            value, slot, barrier, knows = load
            after = (pcs, waits, queues, flying - {load}, stores, _put(slots, slot, value), cells, barriers, known)
            found.append(self.arrive(after, barrier, knows))
        for store in stores:
            value, slot, _ = store
            if any(other[1] == slot and other[0][1] < value[1] for other in stores if other[0][0] == value[0]):
                continue  # stores of one thread to one place stay in order
            found.append(
                (pcs, waits, queues, flying, stores - {store}, _put(slots, slot, value), cells, barriers, known)
            )
        return found

    def issue(self, state, thread):
        pcs, waits, queues, flying, stores, slots, cells, barriers, known = state
        pc = pcs[thread]
        kind, slot, cell, barrier, width = self.traces[thread][pc]
        ident = (thread, pc)
        if kind == "wait":
            phase, _, knows = barriers[barrier]
            done = waits[thread][barrier]
            if phase % 2 == done % 2:
                return None
            waits = _put(waits, thread, _put(waits[thread], barrier, done + 1))
            known = _put(known, thread, known[thread] | knows)
        elif kind == "load":
            flying = flying | {(ident, slot, barrier, known[thread])}
        elif kind == "store":
            stores = stores | {(ident, slot, thread)}
        elif kind == "fence":
            mine = sorted(store for store in stores if store[2] == thread)
            for value, where, _ in mine:
                slots = _put(slots, where, value)
            stores = stores - set(mine)
        elif kind == "copy":
            queues = _put(queues, thread, (*queues[thread], ("copy", ident, slot, cell, None)))
            known = _put(known, thread, known[thread] | {ident})
        elif kind == "mma":
            queues = _put(queues, thread, (*queues[thread], ("mma", ident, cell, width, known[thread])))
            if barrier is not None:
                queues = _put(queues, thread, (*queues[thread], ("commit", ident, barrier, known[thread], None)))
        elif kind == "commit":
            queues = _put(queues, thread, (*queues[thread], ("commit", ident, barrier, known[thread], None)))
        pcs = _put(pcs, thread, pc + 1)
        after = (pcs, waits, queues, flying, stores, slots, cells, barriers, known)
        return self.arrive(after, barrier, known[thread]) if kind == "arrive" else after

    def execute(self, state, thread):
        """The oldest copy, MMA or commit of a thread."""
        pcs, waits, queues, flying, stores, slots, cells, barriers, known = state
        (kind, ident, first, second, knows), *rest = queues[thread]
        queues = _put(queues, thread, tuple(rest))
        if kind == "copy":
            cells = _put(cells, second, slots[first])
        elif kind == "mma":
            pending = {entry[1] for queue in queues for entry in queue if entry[0] == "copy"}
            if knows & pending:
                return None
            values = cells[first : first + second]
            if None in values or len(values) != second or self.read.setdefault(ident, values) != values:
                return "wrong"
        after = (pcs, waits, queues, flying, stores, slots, cells, barriers, known)
        return self.arrive(after, first, second) if kind == "commit" else after

    def arrive(self, state, barrier, knows):
        *before, barriers, known = state
        phase, count, so_far = barriers[barrier]
        count += 1
        if count == self.kernel.arrivals[barrier]:
            phase, count = phase + 1, 0
        # Phases are told apart by their parity alone; what was known stays known.
        return (*before, _put(barriers, barrier, (phase, count, so_far | knows)), known)


def _put(items, index, value):
    return (*items[:index], value, *items[index + 1 :])


# Mutations


def mutate(kernel, random):
    """A kernel with one change: an event dropped, swapped with the next, moved elsewhere, or with another index."""
    threads = [list(thread) for thread in kernel.threads]
    places = [(t, n, None) for t, thread in enumerate(threads) for n, item in enumerate(thread) if isinstance(item, E)]
    places += [
        (t, n, m)
        for t, thread in enumerate(threads)
        for n, item in enumerate(thread)
        if isinstance(item, Rep)
        for m in range(len(item.body))
    ]
    t, n, m = random.choice(places)
    how = random.choice(("drop", "swap", "move", "index"))
    block = threads[t] if m is None else list(threads[t][n].body)
    at = n if m is None else m
    event = block[at]
    if how == "drop":
        del block[at]
    elif how == "swap":
        other = at + 1 if at + 1 < len(block) else at - 1
        if other < 0 or not isinstance(block[other], E):
            return None
        block[at], block[other] = block[other], block[at]
    elif how == "move":
        del block[at]
        block.insert(random.randrange(len(block) + 1), event)
    else:
        changed = _reindex(kernel, event, random)
        if changed is None:
            return None
        block[at] = changed
    if m is None:
        threads[t] = block
    elif block:
        threads[t][n] = replace(threads[t][n], body=tuple(block))
    else:
        del threads[t][n]
    mutant = replace(kernel, threads=tuple(map(tuple, threads)))
    return None if mutant == kernel else mutant


def _reindex(kernel, event, random):
    choices = []
    if event.kind in ("load", "store", "copy"):
        choices.append(("slot", kernel.slots))
    if event.kind in ("copy", "mma"):
        choices.append(("cell", kernel.cells - event.width + 1))
    if event.barrier is not None:
        choices.append(("barrier", len(kernel.arrivals)))
    choices = [choice for choice in choices if choice[1] > 1]
    if not choices:
        return None
    name, count = random.choice(choices)
    old = getattr(event, name)
    if old.step:
        return replace(event, **{name: replace(old, base=(old.base + random.randrange(1, old.mod)) % old.mod)})
    return replace(event, **{name: At((old.base + random.randrange(1, count)) % count)})
