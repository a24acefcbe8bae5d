# Each target does its own set-up: a machine with Python 3.11 or newer, make and pip's access to packages is enough.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
READY := .venv/.ready

# What the interpreted run covers: every rule has a hand-made table there.
RULE_TESTS := tests/test_random_numbers.py tests/test_coop_rules.py tests/test_competitive_rules.py tests/test_playthroughs.py

.PHONY: install test lint types train wheel clean test-ray test-clients test-gymnasium

install: $(READY)

$(READY): pyproject.toml constraints.txt Makefile
	@$(PYTHON) -c 'import sys; sys.exit("make: Python 3.11 or newer is needed; set PYTHON=/path/to/python") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

test: lint types
	$(BIN)/python -m pytest -n 2 --dist worksteal
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(RULE_TESTS) --cov --cov-report=term-missing --cov-fail-under=100

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# Train the agent of configs/quick.yaml, or go on if it was interrupted.
train: $(READY)
	@if [ -e runs/quick/config.yaml ]; then $(BIN)/timeline-twist train --resume runs/quick; else $(BIN)/timeline-twist train configs/quick.yaml; fi

# Environments of their own: Ray pins gymnasium, Tianshou holds pandas below 3. Each has a list of pins that it is tested with.
.venv-%/.ready: constraints-%.txt pyproject.toml Makefile
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-$*.txt $(NEEDS-$*)
	@touch $@

NEEDS-ray := -e '.[ray,render]' pytest pytest-xdist hypothesis hatchling
NEEDS-clients := -e '.[render]' torchrl torch moviepy pytest
NEEDS-tianshou := -e . 'tianshou>=2' torch pytest

# Train with RLlib on two runners, kill one, go on, evaluate; sweeps.
test-ray: .venv-ray/.ready
	.venv-ray/bin/python -m pytest -W default tests/rllib

# Every example, in the environment of its library.
test-clients: .venv-clients/.ready .venv-tianshou/.ready .venv-ray/.ready
	.venv-clients/bin/python -m pytest -W default tests/clients -k 'forgotten or gymnasium or pettingzoo_video or torchrl'
	.venv-tianshou/bin/python -m pytest -W default tests/clients -k tianshou
	.venv-ray/bin/python -m pytest -W default tests/clients -k rllib

# All tests but those of the tooling, with the gymnasium that Ray pins.
test-gymnasium: .venv-ray/.ready
	.venv-ray/bin/python -c 'import gymnasium; print("gymnasium", gymnasium.__version__)'
	.venv-ray/bin/python -m pytest -n 2 --dist worksteal

# Build the wheel, install it into an empty environment of its own, run it there.
wheel: $(READY)
	rm -rf build/wheel
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt build/wheel/*.whl
	cd build/wheel && venv/bin/timeline-twist --version && venv/bin/timeline-twist catalogue history && venv/bin/timeline-twist speed engine --seconds 0.1 && venv/bin/timeline-twist speed env --seconds 0.1 --players 2 && venv/bin/timeline-twist evaluate random --games 20 --no-hindsight

clean:
	rm -rf .venv .venv-* build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage
	find envs training tests -name __pycache__ -type d -prune -exec rm -rf {} +
