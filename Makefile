# Two commands on a fresh machine: `make demo` and `make test`. Everything goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
# One more than there are cores, since some tests mostly wait; five at most, for the memory.
TESTERS ?= $(shell cores=$$(nproc 2>/dev/null || echo 2); echo $$((cores < 4 ? cores + 1 : 5)))

.PHONY: help venv demo test check format wheel clean

help: ## show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Postil needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) --version 2>&1`."; \
	  echo "Install a newer one, or name it: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "The venv module is missing. On Debian or Ubuntu: apt install python3-venv"; rm -rf $(VENV); exit 1; }

$(STAMP): pyproject.toml | $(BIN)/python
	@echo "Installing Postil into $(VENV) (a minute or two the first time) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[serve]'
	@touch $@

$(DEV_STAMP): pyproject.toml | $(BIN)/python
	@echo "Installing Postil and its test tools into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(STAMP)

venv: $(STAMP) ## create .venv with the postil command in it

demo: venv ## install, grade a made-up class, open it in the workbench
	@$(BIN)/postil demo

check: $(DEV_STAMP) ## lint and type-check
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { echo "run: make format"; exit 1; }
	@$(BIN)/mypy

test: check ## lint, type-check and run every test
	@$(BIN)/python -m pytest --numprocesses $(TESTERS) --dist loadfile --no-loadscope-reorder

format: $(DEV_STAMP) ## rewrite the code in the project's format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

wheel: | $(BIN)/python ## build dist/postil-*.whl, which pipx or pip can install anywhere
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls dist/*.whl

clean: ## remove everything that was built
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis postil-demo
