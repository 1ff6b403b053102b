"""Turns a rewritten module of the plgpu dialect back into the jaxpr that it was imported from."""

from mosaic_verify.jax_hook.exporter.kernel import ExportError, export_kernel
from mosaic_verify.jax_hook.exporter.snapshot import Snapshot, take_snapshot

__all__ = ["ExportError", "Snapshot", "export_kernel", "take_snapshot"]
