"""Which platforms can run an embedded kernel."""

from __future__ import annotations

from dataclasses import dataclass

# Custom call targets of Pallas backends (jax `_src/pallas/*/pallas_call_registration.py`, 0.10.2 and 0.12.0).
KERNEL_PLATFORMS = {
    "tpu_custom_call": ("tpu",),
    "mosaic_gpu": ("cuda",),
    "mosaic_gpu_v2": ("cuda",),
    "__gpu$xla.gpu.triton": ("cuda", "rocm"),
    "triton_kernel_call": ("cuda", "rocm"),
}


@dataclass(frozen=True, slots=True)
class EmbeddedKernel:
    """A custom call with a kernel inside.

    Attributes:
      target: name of the custom call.
      platforms: what the module was exported for.
      chosen: True inside a branch that is taken for some of the platforms only.
    """

    target: str
    platforms: tuple[str, ...]
    chosen: bool = False

    @property
    def lacking(self) -> tuple[str, ...]:
        """Platforms that would meet this kernel and cannot run it."""
        able = KERNEL_PLATFORMS.get(self.target)
        if able is None:
            return ()
        names = tuple("cuda" if platform == "gpu" else platform for platform in self.platforms)
        lacking = tuple(platform for platform in names if platform not in able)
        return () if self.chosen and len(lacking) < len(names) else lacking
