"""The event model against a simulator of all interleavings: 20 correct kernels, and 400 with one mistake."""

import random
from collections import Counter

import flow_mutants
import pytest
from flow_simulator import is_wrong, mutate

from mosaic_verify.model.flow import analyse

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
