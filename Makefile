# wakeful: `make` alone lists what can be done.  A fresh machine needs Python 3.11 or newer and make.

PYTHON ?= python3
ARGS   ?=
STEPS  ?= 10000
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# One file per set of packages, newer than pyproject.toml once that set is in place.
MADE  := $(VENV)/.made
PLAIN := $(VENV)/.installed
TEST  := $(VENV)/.installed-test
DEV   := $(VENV)/.installed-dev
BENCH := $(VENV)/.installed-bench

.DEFAULT_GOAL := help
.PHONY: help demo test fuzz live check format bench exhaustive clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Bytecode is written even where the environment tells Python not to: a command starts in half the time.
COMPILE := $(BIN)/python -m compileall -q grammar compiler runtime

demo: $(PLAIN) ## the main job on an embedded store, told step by step
	@$(COMPILE)
	@$(BIN)/wakeful tour

test: $(TEST) ## every test (ARGS="-k garden" narrows it)
	@$(COMPILE)
	@$(BIN)/python -m pytest -n auto $(ARGS)

fuzz: $(TEST) ## mutated inputs through every door, 3 minutes (ARGS="--minutes 30 --seed 7")
	@cd tests && ../$(BIN)/python -m fuzz $(ARGS)

check: $(DEV) ## format, lint, types and the direction of imports
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(DEV) ## let ruff lay out the code and mend what it can
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(BENCH) ## the promised figures, each against a floor or a peer in the same run (ARGS="--json" for programs)
	@$(COMPILE)
	@$(BIN)/python benchmarks/firing.py $(ARGS)
	@$(BIN)/python benchmarks/calls.py $(ARGS)
	@$(BIN)/python benchmarks/conditions.py $(ARGS)
	@$(BIN)/python benchmarks/language.py $(ARGS)
	@$(BIN)/python benchmarks/schedules.py $(ARGS)
	@$(BIN)/python benchmarks/startup.py $(ARGS)

live: $(TEST) ## 10,000 steps of a store and of its model, side by side, about a minute (STEPS=100000)
	@WAKEFUL_STEPS=$(STEPS) $(BIN)/python -m pytest -q tests/runtime/test_store_machine.py

exhaustive: $(TEST) ## schedules at every clock change of every zone, and 100,000 more: minutes (ARGS="--help")
	@PYTHONPATH=tests $(BIN)/python -m exhaustive.schedules $(ARGS)

clean: ## remove the virtual environment and everything that tools left behind
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find grammar compiler runtime tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'wakeful needs Python 3.11 or newer, and $(PYTHON) is not that (or is not there).'; \
	  echo 'Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)'; exit 1; } >&2
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo '$(PYTHON) cannot make a virtual environment: its venv or ensurepip module is missing.'; \
	  echo 'On Debian and Ubuntu: apt install python3-venv.  Or name another Python: make PYTHON=python3.12 $(MAKECMDGOALS)'; \
	  exit 1; } >&2
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(PLAIN): pyproject.toml | $(MADE)
	$(PIP) -e .
	@touch $@

$(TEST): pyproject.toml | $(MADE)
	$(PIP) -e '.[test]'
	@touch $(PLAIN) $@

$(DEV): pyproject.toml | $(MADE)
	$(PIP) -e '.[dev]'
	@touch $(PLAIN) $(TEST) $@

$(BENCH): pyproject.toml | $(MADE)
	$(PIP) -e '.[bench]'
	@touch $(PLAIN) $@
