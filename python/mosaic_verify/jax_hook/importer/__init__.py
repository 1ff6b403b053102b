"""Imports a kernel's jaxpr into the plgpu dialect."""
