"""Our verdicts on generated kernels against JAX's own lowering: `python -m test.conformance --count N --seed S`."""
