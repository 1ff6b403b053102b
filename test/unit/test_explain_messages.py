"""Every documented message finds its rule first, however it was wrapped."""

import tomllib
from pathlib import Path

import pytest

from mosaic_verify.rules.matching import match_message
from mosaic_verify.rules.page import all_rules
from mosaic_verify.rules.tracebacks import match_text, printed_errors

_DATA = Path(__file__).parent / "data"
MESSAGES = tomllib.loads((_DATA / "diagnostics.toml").read_text(encoding="utf-8"))["messages"]


@pytest.mark.parametrize(("row", "code", "error", "text"), MESSAGES, ids=[message[0] for message in MESSAGES])
def test_message_finds_its_rule_first(row, code, error, text):
    matches = match_message(text, error=error)
    assert matches, f"no page has the message of '{row}': {text}"
    found = [match.rule.code for match in matches]
    assert found[0].startswith(code), f"'{row}' should find {code} first, not {found}: {text}"


@pytest.mark.parametrize("wrap", ["bare", "python", "jax-0.12", "jax-0.10", "callback", "pytest", "narrow"])
def test_wrapped_messages_find_the_same_rule(wrap):
    for row, _, error, text in MESSAGES:
        printed = _wrap(wrap, error, text)
        alone, wrapped = match_message(text, error=error), match_text(printed)[1]
        if not alone:
            continue  # the test above says so
        assert wrapped, f"'{row}' is not found in:\n{printed}"
        assert wrapped[0].rule.code == alone[0].rule.code, f"'{row}' in:\n{printed}"


def _wrap(how, error, text):
    if how == "bare":
        return text
    if how == "python":
        return (
            'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    main()\n    ~~~~^^\n'
            f"{error}: {text}\n"
        )
    if how == "jax-0.12":
        return (
            'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    main()\n'
            "jax._src.source_info_util.JaxStackTraceBeforeTransformation: ValueError: something else\n\n"
            "The preceding stack trace is the source of the JAX operation that, once transformed by JAX, triggered the "
            "following exception.\n\n--------------------\n\n"
            "The above exception was the direct cause of the following exception:\n\n"
            'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    main()\n'
            "jax._src.pallas.mosaic.error_handling.VerificationError: Pallas encountered an internal verification "
            "error. Please file a bug at https://github.com/jax-ml/jax/issues/new/choose. Error details: 'x.op' op "
            f'{text}\n see current operation: %1 = "mosaic_gpu.op"(%0) : (memref<128x64xi2>) -> ()\n'
        )
    if how == "jax-0.10":
        return (
            'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    main()\n'
            "jaxlib.mlir._mlir_libs._mlir.ir.MLIRError: Verification failed:\n"
            f'error: "body"("train.py":3:4): \'mosaic_gpu.op\' op {text}\n note: "body"("train.py":3:4): see current '
            'operation: %1 = "mosaic_gpu.op"(%0) : (memref<128x64xi2>) -> ()\n\n'
            "--------------------\n"
            "For simplicity, JAX has removed its internal frames from the traceback of the following exception.\n"
        )
    if how == "callback":
        return (
            'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    main()\n'
            "jax.errors.JaxRuntimeError: INTERNAL: CpuCallback error calling callback: "
            "Traceback (most recent call last):\n"
            f'  File "train.py", line 9, in body\n    go()\n{error}: {text}\n'
        )
    if how == "pytest":
        lines = text.split("\n")
        return "\n".join(
            ["    def test():", ">       main()", f"E   {error}: {lines[0]}", *(f"E   {line}" for line in lines[1:])]
        )
    assert how == "narrow"
    words = f"{error}: {text}".split(" ")
    return "\n".join(" ".join(words[start : start + 6]) for start in range(0, len(words), 6))


def test_no_two_rules_claim_one_text():
    owners = {}
    for rule in all_rules():
        for text in rule.messages:
            assert owners.setdefault(text, rule.code) == rule.code, f"{owners[text]} and {rule.code} both have: {text}"


def test_values_of_a_template():
    (match, *_) = match_message("N must be a multiple of 16 for sparse MMA, but got N=24")
    assert (match.rule.code, match.values) == ("MV111", ("16", "24"))
    (match, *_) = match_message("error: (64, 96) is not divisible into tiles of shape (128, 16) [x]")
    assert match.rule.code == "MV110"


def test_a_code_in_the_text_comes_first():
    text = "sparse_mma.py:3:4: error: 'x' op TMEM transpose not allowed, but N must be 16 [MV111]"
    assert match_message(text)[0].rule.code == "MV111"


def test_the_last_error_counts():
    text = (
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\n'
        "ValueError: Sparse MMA unsupported for f32\n\n"
        "During handling of the above exception, another exception occurred:\n\n"
        'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\n'
        "NotImplementedError: N must be a multiple of 16 for sparse MMA, but got N=24\n"
    )
    error, matches = match_text(text)
    assert error is not None
    assert (error.type, matches[0].rule.code) == ("NotImplementedError", "MV111")
    assert [error.type for error in printed_errors(text)] == ["ValueError", "NotImplementedError"]
    unknown = text.replace("N must be a multiple of 16 for sparse MMA, but got N=24", "who knows")
    assert match_text(unknown)[1][0].rule.code == "MV114"  # an earlier error is better than none
