# make demo   the quality report with disclosure, on data that ships with SDMetrics
# make test   all tests, with SDV and CTGAN
# make docs   the pages as a site, in build/site
# make lint types compatibility pythons   what CI runs besides

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CONSTRAINTS := tooling/constraints.txt

# The oldest SDV and SDMetrics that are supported, together.
OLD_VENV ?= .venv-old
OLD_PAIR := sdv==1.20.0 sdmetrics==0.20.1 "rdt<2"
# What depends on their versions.
OLD_TESTS := plugins/quality plugins/hooks plugins/rapid/test_rapid.py plugins/gen_lra \
	adapters/sources/test_sdv.py integration/test_sdv.py integration/test_import_orders.py

# Other Pythons, where they are installed, without SDV and torch.
PYTHONS ?= python3.10 python3.12 python3.13
PYTHON_TESTS := plugins/quality plugins/rapid/test_rapid.py plugins/gen_lra plugins/membership \
	adapters/release

.PHONY: demo test docs lint types compatibility pythons clean

demo: $(VENV)/base.stamp
	$(BIN)/sdmetrics-disclosure demo

test: $(VENV)/test.stamp
	$(BIN)/python -m pytest

docs: $(VENV)/base.stamp
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	$(BIN)/mkdocs build --strict

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/test.stamp
	$(BIN)/mypy -p sdmetrics_disclosure.numba_kernels -p sdmetrics_disclosure.adapters \
		-p sdmetrics_disclosure.plugins

compatibility: $(OLD_VENV)/test.stamp
	$(OLD_VENV)/bin/python -m pytest $(OLD_TESTS:%=tests/%)

pythons:
	for python in $(PYTHONS); do \
		$$python -c "" 2>/dev/null || { echo "$$python is not installed here: skipped"; continue; }; \
		$$python -m venv .venv-$$python && \
		.venv-$$python/bin/python -m pip install --quiet --editable . hypothesis polars pyarrow \
			pytest && \
		.venv-$$python/bin/python -m pytest -q $(PYTHON_TESTS:%=tests/%) || exit 1; \
	done

$(VENV)/base.stamp: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

# torch first, from the constraints: otherwise pip may take a build for graphics cards.
$(VENV)/test.stamp: $(VENV)/base.stamp $(CONSTRAINTS)
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) torch
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) --editable ".[test]"
	touch $@

$(OLD_VENV)/test.stamp: pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(OLD_VENV)
	$(OLD_VENV)/bin/python -m pip install --quiet --constraint $(CONSTRAINTS) torch
	$(OLD_VENV)/bin/python -m pip install --quiet --constraint $(CONSTRAINTS) $(OLD_PAIR) \
		--editable ".[test]"
	touch $@

clean:
	rm -rf $(VENV) $(OLD_VENV) $(PYTHONS:%=.venv-%) build dist *.egg-info
