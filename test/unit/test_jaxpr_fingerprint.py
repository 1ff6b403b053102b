"""Jaxprs with equal fingerprints are imported alike: what an import reads of a jaxpr is part of its fingerprint."""

import copy
import dataclasses
import enum
import itertools
import warnings

import jax
import jax.numpy as jnp
import pytest
import sparse_mma
import structures
import surroundings
from conformance.generator import build, options
from jax import lax, tree_util
from jax.experimental.pallas import mosaic_gpu as plgpu
from plgpu_kernels import arguments_of

from mosaic_verify.jax_hook.importer.description import describe
from mosaic_verify.jax_hook.jaxpr_fingerprint import fingerprint
from mosaic_verify.jax_hook.jaxprs import nested_jaxprs
from mosaic_verify.jax_hook.plgpu_level import import_kernel

PyTreeDef = type(tree_util.tree_structure(()))


def traced(fn, args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = arguments_of(fn, *args)
    return arguments["jaxpr"], arguments


def key_and_text(jaxpr, arguments):
    name, attributes = describe(jaxpr, arguments, None)
    text = import_kernel(jaxpr, arguments).module.operation.get_asm(enable_debug_info=False)
    return (fingerprint(jaxpr), name, *attributes.items()), text


def test_kernels_that_are_imported_differently_have_different_keys():
    given = [
        sparse_mma.kernel(semantics, **case[0])
        for case in sparse_mma.CASES.values()
        for semantics in sparse_mma.SEMANTICS
    ]
    given += [build(o) for o in itertools.islice(options(11, semantics=None, base=None), 80)]
    texts, equal = {}, 0
    for fn, args in given:
        try:
            found = traced(fn, args)
        except Exception:  # JAX does not trace it
            continue
        key, text = key_and_text(*found)
        assert key[0] is not None
        equal += key in texts
        assert texts.setdefault(key, text) == text
    assert len(texts) > 60 and equal > 5


# One kernel, changed in each place that an attribute of JAX's objects can be changed in


def variants(value, depth=0):
    """Values that are near `value`, and unlike it in one place."""
    if depth > 5:
        return
    if isinstance(value, enum.Enum):
        yield from [member for member in type(value) if member is not value][:1]
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, -value - 1)
    elif isinstance(value, float):
        yield from (value + 1, -value)
    elif isinstance(value, str):
        yield value + "x"
    elif value is None:
        yield from (1, "x")
    elif isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        for at, item in enumerate(value):
            for changed in variants(item, depth + 1):
                yield type(value)([*value[:at], changed, *value[at + 1 :]])
        yield value[:-1] if value else type(value)([1])
    elif isinstance(value, PyTreeDef):
        leaves = [object() for _ in range(value.num_leaves)]
        for changed in variants(value.unflatten(leaves), depth + 1):
            yield tree_util.tree_structure(changed)
    elif hasattr(value, "memory_space") and hasattr(value, "inner_aval"):
        for name in ("inner_aval", "memory_space", "kind", "layout", "collective", "refs"):
            if hasattr(value, name) and not (hasattr(value, "refs") and name in ("layout", "collective")):
                yield from with_attribute(value, name, depth)
    elif isinstance(value, jax.core.ShapedArray):
        for shape in variants(value.shape):
            if all(type(size) is int for size in shape):
                yield value.update(shape=shape)
        for dtype in (jnp.dtype("float16"), jnp.dtype("float32"), *variants(value.dtype, depth + 1)):
            if dtype != value.dtype:
                yield value.update(dtype=dtype)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from with_attribute(value, field.name, depth)


def with_attribute(value, name, depth):
    for changed in variants(getattr(value, name), depth + 1):
        made = copy.copy(value)
        object.__setattr__(made, name, changed)
        for derived in ("collective", "layout"):  # of a union, from its members
            getattr(made, "__dict__", {}).pop(derived, None) if hasattr(made, "refs") else None
        yield made


def changes(jaxpr):
    """Changes the jaxpr in one place after the other; yields what was changed."""
    for part in nested_jaxprs(jaxpr):
        for variable in (*part.constvars, *part.invars):
            yield from replaced(variable, "aval", f"type {variable.aval}")
        for eqn in part.eqns:
            for name, value in list(eqn.params.items()):
                for changed in [] if "jaxpr" in name or name == "branches" else variants(value):
                    eqn.params[name] = changed
                    yield f"{eqn.primitive.name}[{name}={changed}]"
                eqn.params[name] = value
            for atom in eqn.invars:
                if hasattr(atom, "val") and not atom.aval.shape and isinstance(atom.val, (int, float)):
                    yield from replaced(atom, "val", f"literal {atom.val}")


def replaced(owner, name, place):
    value = getattr(owner, name)
    for changed in variants(value):
        object.__setattr__(owner, name, changed)
        yield f"{place}: {changed}"
    object.__setattr__(owner, name, value)


@pytest.mark.parametrize("label", ["RefUnion", "scan", "core_map of warps"])
def test_whatever_an_import_reads_is_in_the_fingerprint(label):
    jax.clear_caches()
    jaxpr, arguments = traced(*structures.KERNELS[label]("lane"))
    key, text = key_and_text(jaxpr, arguments)
    assert key[0] is not None
    differ = 0
    try:
        for change in changes(jaxpr):
            try:
                other_key, other_text = key_and_text(jaxpr, arguments)
            except Exception:  # no jaxpr of JAX's looks like that
                continue
            differ += other_text != text
            assert other_text == text or other_key != key, change
    finally:
        jax.clear_caches()  # JAX keeps what was changed
    assert differ > 100
    assert key_and_text(jaxpr, arguments) == (key, text)


def test_members_of_a_union_are_told_apart():
    """An import asks a union whether its members belong to two CTAs, which `==` of JAX's refs does not look at."""
    jax.clear_caches()
    jaxpr, arguments = traced(*structures.KERNELS["RefUnion"]("lane"))
    key, text = key_and_text(jaxpr, arguments)
    [union] = [
        variable.aval
        for part in nested_jaxprs(jaxpr)
        for variable in part.invars
        if hasattr(variable.aval, "refs") and part.eqns
    ]
    try:
        for member in tree_util.tree_leaves(union.refs):
            member.collective = True
        del union.collective  # what was cached
        other_key, other_text = key_and_text(jaxpr, arguments)
    finally:
        jax.clear_caches()
    assert text != other_text and key != other_key


# Single values


def with_numbers(*numbers):
    """A kernel with these float literals."""

    def at_mma(ref):
        for number in numbers:
            lax.while_loop(lambda c: c[0] < 3, lambda c, n=number: (c[0] + 1, c[1] * n), (0, jnp.float32(1)))
        return ref

    return traced(*sparse_mma.kernel(at_mma=at_mma))[0]


def test_zeros_have_a_sign_and_nan_is_itself():
    assert fingerprint(with_numbers(0.0)) != fingerprint(with_numbers(-0.0))
    nan = float("nan")
    assert fingerprint(with_numbers(nan)) == fingerprint(with_numbers(-nan + 1)) is not None


@pytest.mark.parametrize("label", structures.KERNELS)
def test_a_kernel_that_is_traced_again_has_an_equal_fingerprint(label):
    found = []
    for _ in range(2):
        jax.clear_caches()
        found.append(fingerprint(traced(*structures.KERNELS[label]("warpgroup"))[0]))
    assert found[0] == found[1] is not None


def _inline(ref):
    kept = [ref]

    @plgpu.inline_mgpu()
    def nothing(_):
        kept.clear()

    nothing()
    return ref


@pytest.mark.parametrize(
    "kernel",
    [
        lambda: sparse_mma.kernel(at_mma=_inline),
        lambda: surroundings.NOT_LOWERED["custom_jvp"]("lane", lambda ref: ref),
    ],
    ids=["inline_mgpu", "custom_jvp"],
)
def test_a_jaxpr_with_functions_has_none(kernel):
    """It would keep alive what the functions captured."""
    assert fingerprint(traced(*kernel())[0]) is None
