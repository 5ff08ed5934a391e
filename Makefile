# Two commands on a fresh machine: `make demo` and `make test`. Everything goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
INSTALLERS_STAMP := $(VENV)/.installed-pip
# The versions that are tested and deployed, with their hashes.
LOCK := deploy/constraints.txt
# A new virtual environment brings older ones, with known holes. An older pip does not check a constraint's hashes.
INSTALLERS := 'pip>=26.3' 'setuptools>=78.1.1'
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Hashes are checked where the lock has them; Postil itself and the test tools are not in it.
LOCKED := --constraint $(LOCK) --no-require-hashes
# The careful reader, which is a package of its own because of its size.
CAREFUL := packages/careful
# The expert reader's adapter; what runs it is compiled, so only `make test-all` installs it.
EXPERT := packages/expert
# One more than there are cores, since some tests mostly wait; five at most, for the memory.
TESTERS ?= $(shell cores=$$(nproc 2>/dev/null || echo 2); echo $$((cores < 4 ? cores + 1 : 5)))

.PHONY: help venv demo test test-all check format wheel lock sbom audit clean

help: ## show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Postil needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) --version 2>&1`."; \
	  echo "Install a newer one, or name it: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "The venv module is missing. On Debian or Ubuntu: apt install python3-venv"; rm -rf $(VENV); exit 1; }

$(INSTALLERS_STAMP): Makefile | $(BIN)/python
	@$(INSTALL) --upgrade $(INSTALLERS)
	@touch $@

$(STAMP): pyproject.toml $(LOCK) $(CAREFUL)/pyproject.toml | $(INSTALLERS_STAMP)
	@echo "Installing Postil into $(VENV) (a minute or two the first time) …"
	@$(INSTALL) $(LOCKED) --editable '.[serve]'
	@$(INSTALL) --no-deps --editable $(CAREFUL)
	@touch $@

$(DEV_STAMP): pyproject.toml $(LOCK) $(CAREFUL)/pyproject.toml | $(INSTALLERS_STAMP)
	@echo "Installing Postil and its test tools into $(VENV) …"
	@$(INSTALL) $(LOCKED) --editable '.[dev]'
	@$(INSTALL) --no-deps --editable $(CAREFUL)
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

test-all: check ## the same, with llama.cpp, which compiles for minutes
	@$(INSTALL) 'llama-cpp-python>=0.3.36,<0.4' 'gguf>=0.17'
	@$(INSTALL) --no-deps --editable $(EXPERT)
	@$(BIN)/python -m pytest --numprocesses $(TESTERS) --dist loadfile --no-loadscope-reorder

format: $(DEV_STAMP) ## rewrite the code in the project's format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

wheel: | $(INSTALLERS_STAMP) ## build dist/postil*.whl, which pipx or pip can install anywhere
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist . ./$(CAREFUL) ./$(EXPERT)
	@ls dist/*.whl

lock: $(DEV_STAMP) ## take the newest versions of all libraries into deploy/constraints.txt
	@$(INSTALL) $(LOCKED) --editable '.[release]'
	@$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	  --annotation-style line --custom-compile-command 'make lock' \
	  --extra serve --extra cluster pyproject.toml --output-file deploy/constraints.txt
	@git --no-pager diff --stat -- deploy/constraints.txt

sbom: wheel $(DEV_STAMP) ## list what is in the wheel and in the image: dist/*.cdx.json (CycloneDX)
	@$(BIN)/python deploy/sbom.py dist

audit: $(DEV_STAMP) ## ask PyPI for known vulnerabilities of the locked versions (needs a network)
	@$(INSTALL) $(LOCKED) --editable '.[release]'
	@mkdir -p dist && rm -f dist/audit.txt
	@if $(BIN)/pip-audit --strict --disable-pip --require-hashes --requirement deploy/constraints.txt \
	    --progress-spinner off --output dist/audit.txt 2> dist/audit.log; \
	  then echo "No known vulnerability in the versions of deploy/constraints.txt."; \
	elif [ -s dist/audit.txt ]; then cat dist/audit.log dist/audit.txt; exit 1; \
	else echo "Nothing was checked: PyPI's list of vulnerabilities could not be read. pip-audit says:"; \
	  tail -n 1 dist/audit.log; exit 2; fi

clean: ## remove everything that was built
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis postil-demo
