"""The event model on hand-written programs: loops, conditions, blocks, threads, and what cannot be decided."""

import pytest

from mosaic_verify.model.flow import (
    ANY,
    Apply,
    Axis,
    Barrier,
    BarrierUse,
    Block,
    Branch,
    Const,
    Event,
    Fork,
    Loop,
    Opaque,
    Program,
    Region,
    Var,
    analyse,
)
from mosaic_verify.model.flow.loops import ITERATIONS
from mosaic_verify.model.flow.machine import Machine
from mosaic_verify.model.flow.program import Source
from mosaic_verify.model.flow.steps import Step
from mosaic_verify.model.flow.values import Numbers, Unknown, unsigned

TILE, COLUMNS = 1 << 14, 128
LOADED, DONE = BarrierUse("loaded"), BarrierUse("done")


def tile(index=None):
    return Region("smem", 0, TILE, () if index is None else ((index, TILE),))


def columns(index=None):
    return Region("tmem", 0, COLUMNS, () if index is None else ((index, COLUMNS),))


def load(index=None, **options):
    return Event("load", "load", writes=tile(index), barrier=LOADED, **options)


def copy(source=None, target=None, place="copies[0]", **options):
    return Event("copy", place, tile(source), columns(target), **options)


def mma(index=None, place="mmas[0]", **options):
    return Event("mma", place, columns(index), barrier=DONE, **options)


def wait(barrier=DONE):
    return Event("wait", "wait", barrier=barrier)


def program(*statements, **options):
    return Program(Block(list(statements)), barriers={"loaded": Barrier(1), "done": Barrier(1)}, **options)


def loop(count, *body, condition=None):
    following = Apply("add", (Var("i"), Const(1)))
    inside = Block(list(body))
    return Loop(("i",), (Const(0),), (following,), ("end",), inside, count, condition)


def when(condition, *body):
    return Branch(condition, [Block(), Block(list(body))], [(), ()], ())


def kinds(answer):
    return [violation.kind for violation in answer.violations]


ONCE = (load(), wait(LOADED), copy(), mma(), wait())
I = Var("i")  # noqa: E741
MOD2 = Apply("rem", (I, Const(2)))


def test_straight():
    answer = analyse(program(*ONCE))
    assert (answer.violations, answer.undecided) == ((), ())
    assert answer.proved == ("copies[0]", "mmas[0]")


def test_witness_names_the_iteration():
    # The stage that is read is copied only from iteration 2 on.
    late = when(Apply("ge", (I, Const(2))), copy())
    answer = analyse(program(loop(Const(4), load(), wait(LOADED), mma(), late, wait())))
    [violation] = [v for v in answer.violations if v.place == "mmas[0]"]
    assert violation.kind == "copied-after" and violation.iteration == (0,)


def test_stages_are_told_apart_by_the_step():
    right = program(loop(Const(4), load(), wait(LOADED), copy(None, MOD2), mma(MOD2), wait()))
    assert kinds(analyse(right)) == []
    next_stage = Apply("rem", (Apply("add", (I, Const(1))), Const(2)))
    wrong = program(loop(Const(4), load(), wait(LOADED), copy(None, MOD2), mma(next_stage), wait()))
    assert kinds(analyse(wrong)) == ["other-columns"]


LENGTHS = [Const(ITERATIONS + 1), Const(10**9), Opaque("n", 0)]


@pytest.mark.parametrize("count", LENGTHS)
def test_loops_of_any_length(count):
    right = analyse(program(loop(count, *ONCE)))
    assert right.violations == () and right.undecided == () and right.proved == ("copies[0]", "mmas[0]")
    wrong = analyse(program(loop(count, load(), wait(LOADED), copy(), mma(), load(), wait(LOADED), wait())))
    assert kinds(wrong) == ["overwritten-source"]


@pytest.mark.parametrize("count", LENGTHS)
def test_loops_that_move_on_are_refuted_or_undecided_but_not_proved(count):
    right = analyse(program(loop(count, load(), wait(LOADED), copy(None, I), mma(I), wait())))
    assert right.violations == () and right.proved == () and right.undecided
    wrong = analyse(program(loop(count, load(), wait(LOADED), mma(I), copy(None, I), wait())))
    assert kinds(wrong) == ["copied-after"]


STAGE = Apply("rem", (I, Const(3)))


def ring(bound, ahead=2, last=None):
    """Stages of three; a tile is loaded two iterations before its copy, the stage of which was waited for."""
    stage = BarrierUse("loaded", 0, ((STAGE, 1),))
    later = Apply("add", (I, Const(ahead)))
    slot = Apply("rem", (later, Const(3)))
    following = Event(
        "load",
        "load",
        writes=tile(slot),
        barrier=BarrierUse("loaded", 0, ((slot, 1),)),
        predicate=Apply("lt", (later, bound)),
    )
    first = [
        Event(
            "load",
            "load",
            writes=tile(Const(n)),
            barrier=BarrierUse("loaded", n),
            predicate=Apply("gt", (bound, Const(n))),
        )
        for n in range(2)
    ]
    body = (wait(stage), copy(STAGE, STAGE), mma(STAGE), wait(), following, *(last or ()))
    return program(*first, loop(None, *body, condition=Apply("lt", (I, bound))))


@pytest.mark.parametrize("bound", [Const(41), Const(1000), Const(10**9 + 1), Opaque("n", 0)])
def test_rings_of_any_length(bound):
    right = analyse(ring(bound))
    assert (right.violations, right.undecided) == ((), ())
    assert right.proved == ("copies[0]", "mmas[0]")
    # Only the last iteration copies what was not loaded for it.
    at_end = when(
        Apply("eq", (I, Apply("sub", (bound, Const(1))))),
        copy(Const(0), Const(9), "copies[1]"),
        mma(Const(8), "mmas[1]"),
        wait(),
    )
    assert kinds(analyse(ring(bound, last=(at_end,)))) == ["other-columns"]


def test_a_loop_that_may_not_run():
    once = loop(Opaque("n", 0), load(), wait(LOADED), copy())
    answer = analyse(program(once, mma(), wait()))
    assert (
        answer.violations == () and dict(answer.undecided)["mmas[0]"] == "it depends on what is known only at run time"
    )
    never = loop(Opaque("n", 0), load(), wait(LOADED), copy(None, Const(1)))
    assert kinds(analyse(program(never, mma(), wait()))) == ["other-columns"]


def test_an_accident_far_down_a_loop_is_not_overlooked():
    at = when(Apply("eq", (I, Const(5000))), load(), wait(LOADED))
    answer = analyse(program(loop(Const(10**5), load(), wait(LOADED), copy(), mma(), at, wait())))
    assert answer.proved == () and answer.undecided
    late = analyse(program(loop(Opaque("n", 0), load(), wait(LOADED), copy(), mma(), at, wait())))
    assert late.proved == () and late.undecided


def test_periods_that_drift_apart_are_not_left_out():
    # Nobody waits for the loads as often as they arrive: in the end the wait is for one of the first phases.
    answer = analyse(program(loop(Const(1000), load()), wait(LOADED), copy(), mma(), wait()))
    assert answer.proved == ()


def test_loop_with_a_condition():
    ends = Apply("lt", (I, Const(3)))
    assert analyse(program(loop(None, *ONCE, condition=ends))).proved
    never = Apply("lt", (I, Const(0)))
    assert kinds(analyse(program(loop(None, load(), wait(LOADED), copy(), condition=never), mma(), wait()))) == [
        "not-copied"
    ]


def test_a_loop_without_events_costs_nothing():
    quiet = Loop(("j",), (Const(0),), (Apply("add", (Var("j"), Const(1))),), ("end",), Block(), Const(10**9))
    answer = analyse(program(quiet, *ONCE))
    assert answer.proved and answer.steps == 5


def test_run_time_condition_must_be_wrong_both_ways():
    flag = Opaque("flag")
    answer = analyse(program(load(), wait(LOADED), when(flag, copy()), mma(), wait()))
    assert answer.violations == () and ("mmas[0]", "it depends on what is known only at run time") in (answer.undecided)
    both = Branch(
        flag,
        [Block([copy(None, Const(1), "copies[0]")]), Block([copy(None, Const(2), "copies[1]")])],
        [(), ()],
        (),
    )
    assert kinds(analyse(program(load(), wait(LOADED), both, mma(), wait()))) == ["other-columns"]


def test_the_same_condition_is_decided_once():
    flag = Opaque("flag")
    answer = analyse(program(load(), wait(LOADED), when(flag, copy()), when(flag, mma(), wait())))
    assert answer.violations == () and answer.undecided == ()


def test_an_iteration_decides_anew():
    numbers = Numbers({})
    first = numbers.value(Opaque("flag"))
    numbers.path = (1,)
    numbers.moved()
    assert isinstance(first, Unknown) and first != numbers.value(Opaque("flag"))


def test_the_block_decides():
    last = Apply("eq", (Axis("block"), Const(3)))
    skipped = Apply("ne", (Axis("block"), Const(3)))
    wrong = program(load(), wait(LOADED), when(skipped, copy()), mma(), wait(), grid={"block": 4})
    assert kinds(analyse(wrong)) == ["not-copied"]
    right = program(load(), wait(LOADED), when(last, copy()), when(last, mma(), wait()), grid={"block": 4})
    assert kinds(analyse(right)) == []


def test_of_many_blocks_nothing_is_proved_when_they_differ():
    stage = Apply("rem", (Axis("block"), Const(2)))
    statements = (load(), wait(LOADED), copy(None, stage), mma(stage), wait())
    assert analyse(program(*statements, grid={"block": 2})).proved
    many = analyse(program(*statements, grid={"block": 1000}))
    assert many.proved == () and many.violations == () and many.undecided
    assert analyse(program(*ONCE, grid={"block": 1000})).proved, "nothing depends on the block"


def test_addresses_in_global_memory_make_no_difference_between_blocks():
    rows = Source("a", (1 << 20, 64), ((0, ((Axis("block"), 128),)), (0, ())), (128, 64))
    answer = analyse(program(load(source=rows), *ONCE[1:], grid={"block": 1000}))
    assert answer.proved and answer.steps == len(ONCE)


def test_unknown_axis_is_not_decided():
    answer = analyse(program(load(), wait(LOADED), copy(None, Axis("somewhere")), mma(), wait()))
    assert answer.violations == () and answer.undecided


@pytest.mark.parametrize("regions", [(ANY,), ("tmem",)])
def test_what_is_not_understood_may_have_copied(regions):
    magic = Event("unknown", "magic", regions=regions, reason="magic")
    answer = analyse(program(magic, mma(), wait()))
    assert answer.violations == () and answer.undecided == (("mmas[0]", "magic"),)


def test_what_is_not_understood_elsewhere_does_not_matter():
    magic = Event("unknown", "magic", regions=("another",), reason="magic")
    assert kinds(analyse(program(magic, mma(), wait()))) == ["not-copied"]
    beside = Event("unknown", "magic", writes=Region("tmem", COLUMNS, COLUMNS), reason="magic")
    assert kinds(analyse(program(beside, mma(), wait()))) == ["not-copied"]
    over = Event("unknown", "magic", writes=Region("tmem", COLUMNS - 32, COLUMNS), reason="magic")
    assert kinds(analyse(program(over, mma(), wait()))) == []


def groups(*bodies, **options):
    return program(
        Branch(Axis("group"), [Block(list(body)) for body in bodies], [() for _ in bodies], ()),
        threads=("group", len(bodies)),
        **options,
    )


def test_threads_without_an_order():
    copying, multiplying = (load(), wait(LOADED), copy()), (mma(), wait())
    assert kinds(analyse(groups(copying, multiplying))) == ["other-thread"]
    doubt = Event("sync", "semaphore", reason="semaphores")
    answer = analyse(groups((*copying, doubt), (doubt, *multiplying)))
    assert answer.violations == () and dict(answer.undecided)["mmas[0]"] == "semaphores"


def test_warps():
    first = Apply("eq", (Axis("warp"), Const(0)))
    second = Apply("eq", (Axis("warp"), Const(1)))
    body = Block([when(first, load()), when(second, wait(LOADED), copy(), mma())])
    assert analyse(program(Fork("warp", 4, body), wait())).proved
    body = Block([when(first, load(), wait(LOADED), copy()), when(second, mma())])
    assert kinds(analyse(program(Fork("warp", 4, body), wait()))) == ["other-thread"]


def test_waits_that_do_not_end():
    assert kinds(analyse(program(*ONCE, wait()))) == ["never-arrives"]
    crossed = groups((wait(), load()), (wait(LOADED), copy(), mma()))
    [violation] = analyse(crossed).violations
    assert violation.kind == "never-arrives" and dict(violation.detail)["got"] == dict(violation.detail)["needed"] == 1


def test_predicates():
    assert analyse(program(load(), wait(LOADED), copy(predicate=Const(1)), mma(), wait())).proved
    assert kinds(analyse(program(load(), wait(LOADED), copy(predicate=Const(0)), mma(), wait()))) == ["not-copied"]


def test_a_thread_s_trace_is_in_order():
    [thread] = Machine(program(loop(Const(2), *ONCE)), {}).run().threads
    steps = [step for step in thread.steps if isinstance(step, Step)]
    assert [step.kind for step in steps] == ["load", "wait", "copy", "mma", "wait"] * 2
    assert [step.path for step in steps] == [(0,)] * 5 + [(1,)] * 5
    assert [step.index for step in steps] == list(range(1, 11))


@pytest.mark.parametrize(
    ("op", "args", "wanted"),
    [("rem", (-3, 2), -1), ("div", (-3, 2), -1), ("floordiv", (-3, 2), -2), ("ceildiv", (3, 2), 2), ("not", (0,), 1)],
)
def test_arithmetic_is_that_of_xla(op, args, wanted):
    assert Numbers({}).value(Apply(op, tuple(map(Const, args)))) == wanted


def test_division_by_zero_is_unknown():
    assert isinstance(Numbers({}).value(Apply("rem", (Const(1), Const(0)))), Unknown)


def test_deep_sums_are_evaluated_once():
    expr = Axis("a")
    for _ in range(200):
        expr = Apply("add", (expr, expr))
    assert Numbers({"a": 0}).value(expr) == 0


def test_numbers_that_wrap_around_are_unknown():
    """Only what 32 bits hold is computed; a number that is squared again and again does not get longer and longer."""
    numbers = Numbers({"a": 12345})
    expr = Axis("a")
    for _ in range(200):
        expr = Apply("mul", (expr, expr))
    assert isinstance(numbers.value(expr), Unknown)
    assert isinstance(Numbers({}).value(Apply("shl", (Const(1), Const(1 << 40)))), Unknown)
    assert Numbers({}).value(unsigned(Apply("sub", (Const(0), Const(1))), 32)) == (1 << 32) - 1
    assert Numbers({}).value(Apply("wrap", (Const((1 << 32) - 1), Const(32)))) == -1


def test_unknown_numbers_that_come_about_in_one_way_are_equal():
    def squared():
        expr = Opaque(1, 0)
        for _ in range(200):
            expr = Apply("mul", (expr, expr))
        return expr

    numbers = Numbers({})
    one, other = squared(), squared()
    assert numbers.value(one) == numbers.value(other) != numbers.value(Apply("mul", (one, other)))


@pytest.mark.parametrize(
    "options", [{"threads": ("wg", 1 << 62)}, {"cluster": (("x", 1 << 32), ("y", 1 << 32))}], ids=["threads", "cluster"]
)
def test_more_threads_than_any_device_has_are_not_followed(options):
    answer = analyse(program(mma(), **options))
    assert not answer.violations and "more than" in answer.undecided[0][1]


def test_what_is_undecided_is_told_in_the_order_of_the_program():
    places = [f"mmas[{number}]" for number in range(12)]
    statements = [statement for place in places for statement in (mma(place=place), wait())]
    answer = analyse(program(load(), load(), wait(LOADED), copy(), *statements))
    assert [place for place, _ in answer.undecided if place.startswith("mmas")] == places
