"""The grammar of pass pipelines."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_verify.ir.pipeline_text import PipelineError, Step, parse_pipeline


def shape(step):
    """A step without its offsets."""
    nested = None if step.nested is None else tuple(map(shape, step.nested))
    return (step.name, step.options, nested)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("builtin.module()", ("builtin.module", "", ())),
        (" builtin.module ( cse ) ", ("builtin.module", "", (("cse", "", None),))),
        ("any(cse{})", ("any", "", (("cse", "", None),))),
        (
            "builtin.module(func.func(cse,canonicalize{a=1 b=2}),x)",
            (
                "builtin.module",
                "",
                (("func.func", "", (("cse", "", None), ("canonicalize", "a=1 b=2", None))), ("x", "", None)),
            ),
        ),
        ("m(a(b(c),d()),e)", ("m", "", (("a", "", (("b", "", (("c", "", None),)), ("d", "", ()))), ("e", "", None)))),
        ("m(inline{p=f(cse,b{x=1})})", ("m", "", (("inline", "p=f(cse,b{x=1})", None),))),
        ("m(a,)", ("m", "", (("a", "", None), ("", "", None)))),
    ],
)
def test_parses(text, expected):
    step, _ = parse_pipeline(text)
    assert shape(step) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected pass pipeline to be wrapped with the anchor operation type, e.g. 'builtin.module(...)'"),
        ("cse", "expected pass pipeline to be wrapped"),
        ("(cse)", "expected pass pipeline to be wrapped"),
        ("m(cse", "expected pass pipeline to be wrapped"),
        ("m(a(b)", "Parser:1:1: error: encountered unbalanced parentheses while parsing pipeline\na(b\n^"),
        ("m(ab))", "Parser:1:3: error: encountered extra closing ')' creating unbalanced parentheses while parsing"),
        ("m(a{b)", "Parser:1:2: error: missing closing '}' while processing pass options\na{b\n ^"),
        ("m(a(b) c)", "Parser:1:6: error: expected ',' after parsing pipeline"),
        ("m(a{b}c)", "expected ',' after parsing pipeline"),
    ],
)
def test_refuses(text, message):
    with pytest.raises(PipelineError) as caught:
        parse_pipeline(text)
    assert message in str(caught.value)


names = st.from_regex(r"[a-z][a-z0-9.-]{0,8}", fullmatch=True)
options = st.from_regex(r"([a-z]{1,3}=[a-z0-9]{1,3}( [a-z]=\{[a-z],[a-z]\})?)?", fullmatch=True)
passes = st.tuples(names, options).map(lambda drawn: Step(*drawn))


def nest(inner):
    return st.tuples(names, st.lists(inner, max_size=4)).map(lambda drawn: Step(drawn[0], nested=tuple(drawn[1])))


@settings(max_examples=200, deadline=None)
@given(nest(st.recursive(passes, nest, max_leaves=8)))
def test_printed_pipelines_parse_back(step):
    assert shape(parse_pipeline(str(step))[0]) == shape(step)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab(){},= \n", max_size=20))
def test_any_text_parses_or_is_refused(text):
    try:
        parse_pipeline(f"m({text})")
    except PipelineError as error:
        assert str(error)
