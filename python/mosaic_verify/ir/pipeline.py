"""Pass pipelines: built from text or from passes, printed back, run on a module."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from types import ModuleType
from typing import NamedTuple

from jaxlib.mlir import ir, passmanager

from mosaic_verify.ir.automatic import SUMMARIES as AUTOMATIC
from mosaic_verify.ir.automatic import Automatic, Deferred
from mosaic_verify.ir.captured import captured_stderr
from mosaic_verify.ir.options import make_pass, print_options, split_options
from mosaic_verify.ir.passes import Pass, Session
from mosaic_verify.ir.pipeline_text import PipelineError, Step, parse_elements, parse_pipeline, pipeline_error
from mosaic_verify.ir.runner import Element, Listener, Nest, Runner, Shipped

_RESTRICTED = re.compile(r"restricted to '([^']+)' on a PassManager")


class Pipeline(NamedTuple):
    """An anchored pipeline. `str` gives text that parses back to it."""

    anchor: str
    elements: tuple[Element, ...]

    def __str__(self) -> str:
        return f"{self.anchor}({','.join(map(element_text, self.elements))})"


def registry() -> ModuleType:
    """The table of our passes, by name, as it stands above this package (`mosaic_verify.passes`)."""
    return importlib.import_module("mosaic_verify.passes")


def build_pipeline(text: str, context: ir.Context) -> Pipeline:
    """Reads a textual pipeline such as `builtin.module(func.func(cse),mosaic-gpu-verify-sparse-mma)`.

    Raises:
      PipelineError: wrong grammar, an unknown pass, a bad option.
    """
    step, inner = parse_pipeline(text)
    assert step.nested is not None
    return Pipeline(step.name, _build(step.nested, step.name, context, inner))


def build_pass(name: str, options: str, context: ir.Context, anchor: str = "builtin.module") -> tuple[Element, ...]:
    """The elements of one pass (or shipped pipeline) by name, nested where it runs on another op than `anchor`.

    Raises:
      PipelineError: an unknown pass or a bad option.
    """
    try:
        return _build((Step(name, options),), anchor, context, name)
    except PipelineError as error:
        restricted = _RESTRICTED.search(str(error))
        if restricted is None:
            raise
        nested = restricted.group(1)
        return (Nest(nested, _build((Step(name, options),), nested, context, name)),)


def run_pipeline(
    module: ir.Module | ir.Operation,
    pipeline: Pipeline | str | Sequence[Pass | str],
    session: Session,
    *,
    verify_each: bool = True,
    listener: Listener | None = None,
) -> bool:
    """Runs a pipeline on a module and reports through `session.engine`.

    Args:
      pipeline: a pipeline, its text, or passes and names of passes that run in order. Verification passes need neither
        a verified module nor a pass manager, so they also run on a module that is still being built.
      verify_each: run MLIR's verifier behind each pass that may have changed the IR.
      listener: sees each pass before and after it runs.

    Returns:
      False when a pass failed or reported an error. Passes that only verify and stand directly behind one another all
      run; the pipeline stops behind them.

    Raises:
      PipelineError: the pipeline's text is wrong.
    """
    root = module.operation
    if isinstance(pipeline, str):
        pipeline = build_pipeline(pipeline, root.context)
    elif not isinstance(pipeline, Pipeline):
        elements: list[Element] = []
        for each in pipeline:
            elements.extend((each,) if isinstance(each, Pass) else build_pass(each, "", root.context, root.name))
        pipeline = Pipeline("any", tuple(elements))
    return Runner(session, verify_each, listener).run_root(root, pipeline.anchor, pipeline.elements)


def element_text(element: Element) -> str:
    """One element as text, with all options of our passes."""
    if isinstance(element, Nest):
        return f"{element.anchor}({','.join(map(element_text, element.elements))})"
    if isinstance(element, Deferred):
        element = element.load()
    if isinstance(element, Pass):
        options = print_options(element)
        return f"{element.name}{{{options}}}" if options else element.name
    return str(element) if isinstance(element, Automatic) else element.text


def _build(steps: Sequence[Step], anchor: str, context: ir.Context, text: str) -> tuple[Element, ...]:
    elements: list[Element] = []
    ours = registry().pass_names()
    for step in steps:
        if step.nested is not None:
            elements.append(Nest(step.name, _build(step.nested, step.name, context, text)))
        elif step.name in AUTOMATIC:
            elements.append(_automatic(step))
        elif step.name in ours:
            one = make_pass(registry().load_pass(step.name), step.options) if step.options else Deferred(step.name)
            elements.append(one)
        else:
            elements.extend(_shipped(step, anchor, context, text))
    return tuple(elements)


def _automatic(step: Step) -> Automatic:
    made = Automatic(step.name)
    for key, value in split_options(step.options):
        problem = ""
        if key == "arch" and value:
            try:
                registry().check_architecture(value)
            except ValueError as error:
                problem = str(error)
            made = made._replace(arch=value)
        elif key == "exact" and step.name == "rewrite-all" and value in (None, "true", "false"):
            made = made._replace(exact=value != "false")
        else:
            problem = f"<Pass-Options-Parser>: no such option {key}"
        if problem:
            raise PipelineError(f"{problem}\nfailed to add `{step.name}` with options `{step.options}`")
    return made


def _shipped(step: Step, anchor: str, context: ir.Context, text: str) -> tuple[Element, ...]:
    manager = _parse_shipped(step, anchor, context)
    if manager is None and step.name.startswith(("stablehlo-", "chlo-", "shape-", "vhlo-", "mhlo-", "hlo-")):
        importlib.import_module("mosaic_verify.ir.shipped_passes").register_more()
        manager = _parse_shipped(step, anchor, context)
    if manager is None:
        message = f"'{step.name}' does not refer to a registered pass or pass pipeline"
        raise pipeline_error(message, text, step.offset, unknown=step.name)
    printed = str(manager)
    normal = parse_elements(printed[len(anchor) + 1 : -1])
    if len(normal) == 1 and normal[0].nested is None:
        return (Shipped(step.name, str(step), str(normal[0])),)
    return _from_steps(normal)


def _from_steps(steps: Sequence[Step]) -> tuple[Element, ...]:
    """A shipped pipeline, spelt out by MLIR itself."""
    return tuple(
        Shipped(step.name, str(step), str(step)) if step.nested is None else Nest(step.name, _from_steps(step.nested))
        for step in steps
    )


def _parse_shipped(step: Step, anchor: str, context: ir.Context) -> passmanager.PassManager | None:
    """The shipped pass in a manager of its own; None when there is none of this name. Raises PipelineError."""
    if not step.name or any(char in step.name for char in "(){}, \t\n"):
        return None
    capture = None
    try:
        if not step.options:
            return passmanager.PassManager.parse(f"{anchor}({step})", context)
        with captured_stderr() as capture:  # LLVM's option parser prints what is wrong with a value
            return passmanager.PassManager.parse(f"{anchor}({step})", context)
    except ValueError as error:
        printed = capture.text.strip().removeprefix(": ") if capture is not None else ""
        message = "\n".join(filter(None, (printed, str(error).strip())))
        if "does not refer to a registered pass" in message and f"'{step.name}'" in message:
            return None
        raise PipelineError(re.sub(r"\n\n+", "\n", message)) from None
