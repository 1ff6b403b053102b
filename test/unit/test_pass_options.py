"""Options of passes: from text, to text, and what is wrong with them."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_verify.ir.options import make_pass, print_options, split_options
from mosaic_verify.ir.passes import Pass
from mosaic_verify.ir.pipeline_text import PipelineError


@dataclass(frozen=True)
class Sample(Pass):
    """A pass with an option of each kind."""

    name: ClassVar[str] = "sample-options"
    level: ClassVar[str] = "plgpu"
    tile_m: int = 128
    exact: bool = False
    arch: str = "sm_100a"
    sizes: tuple[int, ...] = ()
    names: "tuple[str, ...]" = ()
    limit: int | None = None

    def __post_init__(self):
        if self.tile_m <= 0:
            raise ValueError(f"tile-m must be positive, got {self.tile_m}")


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("tile-m=64", "tile_m", 64),
        ("tile-m=0x40", "tile_m", 64),
        ("exact", "exact", True),
        ("exact=true", "exact", True),
        ("exact=0", "exact", False),
        ("arch=sm_103a", "arch", "sm_103a"),
        ("arch='a b'", "arch", "a b"),
        ("sizes=1,2,3", "sizes", (1, 2, 3)),
        ("sizes={1, 2,3}", "sizes", (1, 2, 3)),
        ("names={a,b(c,d)}", "names", ("a", "b(c,d)")),
        ("names=", "names", ()),
        ("limit=7", "limit", 7),
    ],
)
def test_converts(text, field, value):
    assert getattr(make_pass(Sample, text), field) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "bogus=1",
            "<Pass-Options-Parser>: no such option bogus\nfailed to add `sample-options` with options `bogus",
        ),
        ("tile_m=1", "no such option tile_m, did you mean 'tile-m'?"),
        ("tile-m=x", "for the --tile-m option: 'x' value invalid for integer argument!"),
        ("tile-m", "for the --tile-m option: requires a value!"),
        ("exact=maybe", "for the --exact option: 'maybe' is invalid value for boolean argument! Try 0 or 1"),
        ("sizes=1,x", "for the --sizes option: 'x' value invalid for integer argument!"),
        ("tile-m=0", "tile-m must be positive, got 0\nfailed to add"),
    ],
)
def test_refuses(text, message):
    with pytest.raises(PipelineError) as caught:
        make_pass(Sample, text)
    assert message in str(caught.value)


def test_prints_all_options_sorted():
    text = print_options(make_pass(Sample, "sizes=3,1 names=x"))
    assert text == "arch=sm_100a exact=false names={x} sizes={3,1} tile-m=128"


def test_splits_at_blanks_outside_brackets_and_quotes():
    assert split_options("a={b c} d='e f'  g") == [("a", "b c"), ("d", "e f"), ("g", None)]


words = st.text(alphabet="abc_0", min_size=1, max_size=6)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 9999),
    st.booleans(),
    words,
    st.lists(st.integers(-9, 999), max_size=4),
    st.lists(words, max_size=4),
    st.none() | st.integers(0, 9),
)
def test_printed_options_parse_back(tile_m, exact, arch, sizes, names, limit):
    sample = Sample(tile_m, exact, arch, tuple(sizes), tuple(names), limit)
    assert make_pass(Sample, print_options(sample)) == sample
