# `make help` lists the targets. Every command of CI and of the workflows stands here, once.

PYTHON ?= python3
VENV ?= .venv
CONSTRAINTS := tooling/constraints.txt
ifeq ($(OS),Windows_NT)
SCRIPTS := Scripts
else
SCRIPTS := bin
endif
BIN := $(VENV)/$(SCRIPTS)

# Which tests: `make test TESTS=tests/plugins/rapid`.
TESTS ?= tests
# Without those that take long, need SDV, or build and install packages.
QUICK := not slow and not sdv and not packaging

# The oldest SDV and SDMetrics that are supported, together.
OLD_VENV ?= .venv-old
OLD_PAIR := sdv==1.20.0 sdmetrics==0.20.1 "rdt<2"
# What depends on their versions.
OLD_TESTS := plugins/quality plugins/hooks plugins/rapid/test_rapid.py plugins/gen_lra \
	adapters/sources/test_sdv.py integration/test_sdv.py integration/test_import_orders.py

# The lowest versions that pyproject.toml allows, on the oldest Python.
MINIMUM_PYTHON ?= python3.10
MINIMUM_VENV ?= .venv-minimum

# Other Pythons, where they are installed, without SDV and torch.
PYTHONS ?= python3.10 python3.12 python3.13

WHEEL_VENV ?= .venv-wheel

.DEFAULT_GOAL := help
.PHONY: help demo quick test coverage lint types docs compatibility minimum pythons wheel \
	pre-commit architecture clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) \
		| while IFS='|' read -r target line; do printf '  %-15s%s\n' "$$target" "$$line"; done

demo: $(VENV)/base.stamp ## the report on data that ships with SDMetrics
	$(BIN)/sdmetrics-disclosure demo

quick: $(VENV)/quick.stamp ## the tests of the daily loop, under a minute, without SDV and torch
	$(BIN)/python -m pytest -q -m "$(QUICK)" $(TESTS)

test: $(VENV)/test.stamp ## all tests, with SDV and CTGAN
	$(BIN)/python -m pytest $(TESTS)

coverage: $(VENV)/test.stamp ## which lines the tests run, as pages in build/coverage
	$(BIN)/python -m coverage run -m pytest $(TESTS)
	$(BIN)/python -m coverage report --skip-covered
	$(BIN)/python -m coverage html --quiet --directory build/coverage

lint: $(VENV)/test.stamp ## what ruff says about code and form
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/test.stamp ## what mypy says, strict
	$(BIN)/mypy -p sdmetrics_disclosure.numba_kernels -p sdmetrics_disclosure.adapters \
		-p sdmetrics_disclosure.plugins

docs: $(VENV)/base.stamp ## the pages as a site, in build/site
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	$(BIN)/mkdocs build --strict

compatibility: $(OLD_VENV)/test.stamp ## the oldest SDV and SDMetrics that are supported
	$(OLD_VENV)/$(SCRIPTS)/python -m pytest $(OLD_TESTS:%=tests/%)

minimum: ## the lowest versions that pyproject.toml allows, on the oldest Python
	@if $(MINIMUM_PYTHON) -c "" 2>/dev/null; then \
		$(MAKE) $(MINIMUM_VENV)/test.stamp && \
		$(MINIMUM_VENV)/$(SCRIPTS)/python -m pytest -q -m "$(QUICK)" $(TESTS); \
	else \
		echo "$(MINIMUM_PYTHON) is not installed here: skipped"; \
	fi

pythons: ## the quick tests on the other Pythons that are installed
	for python in $(PYTHONS); do \
		$$python -c "" 2>/dev/null || { echo "$$python is not installed here: skipped"; continue; }; \
		$(MAKE) quick PYTHON=$$python VENV=.venv-$$python || exit 1; \
	done

wheel: $(VENV)/base.stamp ## the wheel, installed by itself, and what its doctor says
	rm -rf dist $(WHEEL_VENV)
	$(BIN)/python -m pip install --quiet build
	$(BIN)/python -m build --outdir dist
	$(PYTHON) -m venv $(WHEEL_VENV)
	$(WHEEL_VENV)/$(SCRIPTS)/python -m pip install --quiet dist/*.whl
	$(WHEEL_VENV)/$(SCRIPTS)/sdmetrics-disclosure doctor

pre-commit: $(VENV)/test.stamp ## lint and types before every commit, from now on
	$(BIN)/python -m pip install --quiet pre-commit
	$(BIN)/pre-commit install

architecture: $(VENV)/quick.stamp ## the rooms' picture and tables in ARCHITECTURE.md, anew
	$(BIN)/python -m tests.helpers.architecture

clean: ## away with environments and builds
	rm -rf $(VENV) $(OLD_VENV) $(MINIMUM_VENV) $(WHEEL_VENV) $(PYTHONS:%=.venv-%) build dist \
		.coverage *.egg-info

$(VENV)/base.stamp: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/quick.stamp: $(VENV)/base.stamp
	$(BIN)/python -m pip install --quiet --editable ".[quick]"
	touch $@

# torch first, from the constraints: otherwise pip may take a build for graphics cards.
$(VENV)/test.stamp: $(VENV)/base.stamp $(CONSTRAINTS)
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) torch
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) --editable ".[test]"
	touch $@

$(OLD_VENV)/test.stamp: pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(OLD_VENV)
	$(OLD_VENV)/$(SCRIPTS)/python -m pip install --quiet --constraint $(CONSTRAINTS) torch
	$(OLD_VENV)/$(SCRIPTS)/python -m pip install --quiet --constraint $(CONSTRAINTS) $(OLD_PAIR) \
		--editable ".[test]"
	touch $@

$(MINIMUM_VENV)/test.stamp: pyproject.toml tooling/minimum.py
	$(MINIMUM_PYTHON) -m venv $(MINIMUM_VENV)
	$(MINIMUM_VENV)/$(SCRIPTS)/python -m pip install --quiet packaging tomli
	$(MINIMUM_VENV)/$(SCRIPTS)/python tooling/minimum.py > $(MINIMUM_VENV)/minimum.txt
	$(MINIMUM_VENV)/$(SCRIPTS)/python -m pip install --quiet \
		--constraint $(MINIMUM_VENV)/minimum.txt --editable ".[quick]"
	touch $@
