"""The places in JAX's pipeline where we look: each module here defines one `Level` as `LEVEL`."""
