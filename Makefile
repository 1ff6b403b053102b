# `make help` lists the targets. PYTHON=/path/to/python picks the interpreter; the default is the newest >= 3.11.
PYTHON ?= $(shell bash .ci/pythons | head -n 1)
MINOR := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
ifeq ($(MINOR),)
$(error no Python >= 3.11 with venv found: install one, or pass PYTHON=/path/to/python)
endif
VENV := build/venv-$(MINOR)
WHEEL_VENV := build/venv-wheel-$(MINOR)
TOKAMAX_VENV := build/venv-tokamax-$(MINOR)
BIN := $(VENV)/bin
WORKERS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); [ $$n -gt 4 ] && echo 4 || echo $$n)
COUNT ?= 10000
SEED ?= 0
FUZZ ?= 20000
.DEFAULT_GOAL := help
export PYTHONDONTWRITEBYTECODE ?= 1

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/installed: pyproject.toml CMakeLists.txt
	@mkdir -p build
	@echo "making $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	@touch $@

.PHONY: demo
demo: $(VENV)/installed ## verify a clean and a refused kernel on this machine
	@$(BIN)/python examples/demo.py

.PHONY: test
test: lint format-check typecheck check-unit check-mosaic-verify check-wheel ## everything that has to pass

.PHONY: lint
lint: $(VENV)/installed-test ## ruff
	$(BIN)/ruff check .

.PHONY: format-check
format-check: $(VENV)/installed-test ## ruff format, without changing a file
	$(BIN)/ruff format --check .

.PHONY: format
format: $(VENV)/installed-test ## format and sort imports
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Type checkers do not know the folders that the build maps into the package, and do not follow links to folders: they see a
# tree of links to files (copies where cp has no -s). The stubs of JAX 0.10 and its numpy (Python 3.11) know less than the code
# relies on; types do not depend on the JAX that runs, so they are checked once, against the newer ones.
.PHONY: typecheck
typecheck: $(VENV)/installed-test ## basedpyright
	@rm -rf build/types && mkdir -p build/types
	@mkdir build/types/probe && cp -rs $(CURDIR)/passes build/types/probe 2>/dev/null && link="cp -rs" || link="cp -R"; \
	  rm -rf build/types/probe; \
	  $$link $(CURDIR)/python/mosaic_verify build/types/ && $$link $(CURDIR)/passes $(CURDIR)/dialects build/types/mosaic_verify/
	@if [ $(MINOR) = 3.11 ]; then echo "types are checked with Python >= 3.12 (JAX >= 0.11) only: skipped"; else \
	  echo $(BIN)/basedpyright; $(BIN)/basedpyright --pythonpath $(BIN)/python; fi

.PHONY: check-unit
check-unit: $(VENV)/installed-test ## pytest
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile test/unit

.PHONY: check-mosaic-verify
check-mosaic-verify: $(VENV)/installed-test ## lit
	$(BIN)/lit -j $(WORKERS) --order=lexical -q test

# The wheel is installed into an environment of its own, which sees the packages of the other one but not its editable install.
# All lit tests run on it, and those unit tests that go through the package as a whole.
WHEEL_TESTS := api cases_table cli hook_state opt_bad_input rules_pages sparse_metadata_api
.PHONY: check-wheel
check-wheel: $(VENV)/installed-test ## build the wheel and run the tests against it
	@rm -rf build/wheel-$(MINOR) $(WHEEL_VENV)
	$(BIN)/python -m build --wheel --outdir build/wheel-$(MINOR) . > build/wheel-$(MINOR).log 2>&1 || { cat build/wheel-$(MINOR).log; exit 1; }
	@$(PYTHON) -m venv $(WHEEL_VENV)
	@$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
	  > $$($(WHEEL_VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/packages.pth
	@$(WHEEL_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps build/wheel-$(MINOR)/*.whl
	cd test && ../$(WHEEL_VENV)/bin/python -m pytest -n $(WORKERS) --dist loadfile -q $(WHEEL_TESTS:%=unit/test_%.py)
	$(WHEEL_VENV)/bin/python -c 'from lit.main import main; main()' -j $(WORKERS) --order=lexical -q test

# tokamax brings some ninety packages and may want another JAX, so it has an environment of its own.
$(TOKAMAX_VENV)/installed: pyproject.toml
	@$(PYTHON) -m venv $(TOKAMAX_VENV)
	@$(TOKAMAX_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[tokamax]' flatbuffers hypothesis pytest pytest-xdist
	@touch $@

.PHONY: install-tokamax
install-tokamax: $(TOKAMAX_VENV)/installed

.PHONY: check-tokamax
check-tokamax: $(TOKAMAX_VENV)/installed ## pytest on the kernels of tokamax (Python >= 3.12)
	$(TOKAMAX_VENV)/bin/python -m pytest -n $(WORKERS) test/unit/test_real_kernels.py -k tokamax

.PHONY: bench
bench: $(VENV)/installed-test ## ratios of cost, measured side by side
	$(BIN)/python -m bench

.PHONY: conformance
conformance: $(VENV)/installed-test ## our verdicts against JAX's own, and oracles, on COUNT generated inputs (SEED=...)
	$(BIN)/python -m test.conformance --count $(COUNT) --seed $(SEED)
	$(BIN)/python -m test.conformance.block_sparse --count $(COUNT) --seed $(SEED)
	$(BIN)/python -m test.conformance.megablox --count $$(( $(COUNT) / 50 )) --seed $(SEED)

.PHONY: fuzz
fuzz: $(VENV)/installed-test ## FUZZ mutated facts, texts and flags; faults of ours, threads, modes (SEED=...)
	$(BIN)/python -m test.conformance.fuzz --count $(FUZZ) --seed $(SEED)
	$(BIN)/python -m test.conformance.robustness --count $$(( $(FUZZ) / 20 )) --seed $(SEED)

# CI has JAX 0.10.2 and the newest; the others are run by hand.
.PHONY: versions
versions: $(VENV)/installed-test ## the suite with every supported JAX (ONLY=0.11.2: with one); writes docs/versions.md
	$(BIN)/python -m test.conformance.versions --workers $(WORKERS) $(if $(ONLY),--only $(ONLY)) $(if $(KERNELS),--count $(KERNELS))

.PHONY: versions-of
versions-of: $(VENV)/installed
	@$(BIN)/python -c 'import sys, jax, jaxlib; print(f"Python {sys.version.split()[0]}: jax {jax.__version__}, jaxlib {jaxlib.__version__}")'

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build dist
