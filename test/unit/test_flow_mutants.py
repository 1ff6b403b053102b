"""The event model against a simulator of all interleavings: 20 correct kernels, and 400 with one mistake."""

import random
from collections import Counter
from dataclasses import replace

import flow_mutants
import pytest
from flow_simulator import Rep, is_wrong, mutate

from mosaic_verify.model.flow import Apply, Branch, Const, Event, Loop, Opaque, analyse
from mosaic_verify.model.flow.analysis import every_way

PER_KERNEL = 20
SEED = 8


def verdict(kernel):
    answer = analyse(flow_mutants.program_of(kernel))
    return "reported" if answer.violations else "undecided" if answer.undecided else "proved"


def mutants(label):
    """The mutants of one kernel, always the same ones."""
    kernel, source, found = flow_mutants.KERNELS[label], random.Random(f"{label} {SEED}"), []
    while len(found) < PER_KERNEL:
        mutant = mutate(kernel, source)
        if mutant is not None:
            found.append(mutant)
    return found


@pytest.fixture(scope="module")
def judged():
    """(label, mutant, wrong in the simulator, what the event model says), for all mutants."""
    return [
        (label, mutant, is_wrong(mutant), verdict(mutant))
        for label in flow_mutants.KERNELS
        for mutant in mutants(label)
    ]


def test_there_are_twenty_kernels():
    assert len(flow_mutants.KERNELS) == 20


@pytest.mark.parametrize("label", flow_mutants.KERNELS)
def test_correct_kernels(label):
    assert not is_wrong(flow_mutants.KERNELS[label])
    assert verdict(flow_mutants.KERNELS[label]) == "proved"


def test_no_wrong_mutant_is_called_proved(judged):
    assert [(label, mutant) for label, mutant, wrong, said in judged if wrong and said == "proved"] == []


def test_no_right_mutant_is_reported(judged):
    assert [(label, mutant) for label, mutant, wrong, said in judged if not wrong and said == "reported"] == []


def test_few_mutants_are_undecided(judged, capsys):
    counts = Counter(said for *_, said in judged)
    wrong = sum(entry[2] for entry in judged)
    assert len(judged) == 400
    assert wrong > 200 and len(judged) - wrong > 20, "the mutations must make both"
    with capsys.disabled():
        print(
            f"\n{len(judged)} mutants, {wrong} wrong; {dict(counts)}, undecided {counts['undecided'] / len(judged):.1%}"
        )
    assert counts["undecided"] / len(judged) < 0.15


# Long loops: what is said with periods left out is what is said about all iterations.

LONG = [
    label
    for label, kernel in flow_mutants.KERNELS.items()
    if any(isinstance(i, Rep) for t in kernel.threads for i in t)
]


def lengthened(kernel, count):
    """With `count` iterations of each loop; what happens in all but the last ones still does."""

    def longer(item):
        if not isinstance(item, Rep):
            return item
        more = count - item.count
        return Rep(count, tuple(replace(e, last=e.last + more) if e.last < 1000 else e for e in item.body))

    return replace(kernel, threads=tuple(tuple(map(longer, thread)) for thread in kernel.threads))


def mutants_of(label, number, source):
    for _ in range(number):
        kernel = flow_mutants.KERNELS[label]
        for _ in range(source.randrange(3)):
            kernel = mutate(kernel, source) or kernel
        yield kernel


def said(program, shorten):
    """(kinds and places of violations, what is undecided); None where long loops must be looked at as a whole."""
    answer = every_way(program, {}, shorten)
    if answer is None:
        return None
    found, _, traces = answer
    undecided = {place for _, place in found.held_back}.union(*(trace.undecided for trace in traces))
    # Of waits for one another another one may be told.
    return {key if key[0] != "never-arrives" else key[0] for key in found.violations}, undecided


@pytest.mark.parametrize("label", LONG)
def test_shortened_loops(label):
    source, shortened = random.Random(f"{label} {SEED}"), 0
    for kernel in mutants_of(label, 12, source):
        program = flow_mutants.program_of(lengthened(kernel, source.randrange(45, 70)))
        short = said(program, True)
        if short is not None:
            shortened += 1
            assert short == said(program, False), kernel
    assert shortened > 6


def run_time(program):
    """The same program with a length of its loops that is known only at run time; it has 1000 iterations."""
    length = Opaque("length", 0)

    def expr(e):
        if isinstance(e, Const) and 900 <= e.value <= 1000:
            return Apply("sub", (length, Const(1000 - e.value))) if e.value < 1000 else length
        return Apply(e.op, tuple(map(expr, e.args))) if isinstance(e, Apply) else e

    def block(statements):
        for number, statement in enumerate(statements):
            if isinstance(statement, Event) and statement.predicate is not None:
                statements[number] = replace(statement, predicate=expr(statement.predicate))
            elif isinstance(statement, Loop):
                statement.count = expr(statement.count)
                block(statement.body.statements)
            elif isinstance(statement, Branch):
                for body in statement.bodies:
                    block(body.statements)

    block(program.body.statements)
    return program


@pytest.mark.parametrize("label", LONG)
def test_run_time_lengths(label):
    """Proved is what is right at each length; reported is what is wrong at each large one."""
    for kernel in mutants_of(label, 4, random.Random(f"{label} {SEED}")):
        answer = analyse(run_time(flow_mutants.program_of(lengthened(kernel, 1000))))
        each = {
            length: said(flow_mutants.program_of(lengthened(kernel, length)), False)
            for length in (*range(14), 40, 41, 47)
        }
        if answer.violations:
            assert all(found for length, (found, _) in each.items() if length >= 40), kernel
        elif not answer.undecided:
            assert not any(found or undecided for found, undecided in each.values()), kernel
