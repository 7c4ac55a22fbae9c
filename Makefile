# Two commands do everything on a machine with only Python 3.11, pip and make:
#   make demo    explain models on examples that ship with the package, write reports to demo/
#   make test    run the tests
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
JOBS ?= 2

.PHONY: demo test check docs format coverage clean

demo: $(VENV)/.demo
	$(BIN)/python -m fairpath.demo

test: $(VENV)/.test
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(JOBS)

check: $(VENV)/.check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/typos

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs build/docs

format: $(VENV)/.check
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

coverage: $(VENV)/.test
	$(BIN)/python -m pytest -n $(JOBS) --cov --cov-report=term-missing:skip-covered

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

# A stamp per set of packages, made anew when pyproject.toml changes.
$(VENV)/.demo: EXTRAS = [plots]
$(VENV)/.test: EXTRAS = [test]
$(VENV)/.check: EXTRAS = [test,check]
$(VENV)/.docs: EXTRAS = [docs]
$(VENV)/.demo $(VENV)/.test $(VENV)/.check $(VENV)/.docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.$(EXTRAS)'
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "fairpath needs Python 3.11 or newer; run: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
