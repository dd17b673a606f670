# Every target sets up what it needs: a virtual environment in .venv with exactly the packages of requirements.lock.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
JOBS ?= 2
TIMEOUT ?= 60

.PHONY: demo test test-gcc lint bench bench-agree bench-frontend bench-real lock clean

demo: $(READY)
	@echo '--- can anything fail in examples/bank.c (assertions, memory, divisions, shifts, overflows)?  FALSE, exit code 1, with the execution  (drystone verify)'
	$(BIN)/drystone verify examples/bank.c --timeout 60s || test $$? -eq 1
	@echo
	@echo '--- and in examples/sum.c?  TRUE, exit code 0, with a certificate'
	$(BIN)/drystone verify examples/sum.c --timeout 60s
	@echo
	@echo '--- what is in examples/bank.c?  (drystone info)'
	$(BIN)/drystone info examples/bank.c
	@echo
	@echo '--- its automaton, calls inlined  (drystone cfa)'
	$(BIN)/drystone cfa examples/bank.c --format text

# Tests start the command a thousand times: without bytecode, where Python is told to write none, each would compile everything.
test: lint
	$(BIN)/python -m compileall -q drystone
	$(BIN)/pytest -q -n $(JOBS)

# The whole comparison with gcc, and others' suites where ../shared/suites is; a part of it runs in `make test`.
test-gcc: $(READY)
	DRYSTONE_GCC=all $(BIN)/pytest -q -n $(JOBS) tests/gcc tests/suites tests/frontend/library

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict

# Verdicts on ../shared/benchmarks where that is; resumes where it was interrupted (remove the results to begin anew).
bench: $(READY)
	$(BIN)/python bench/run.py --timeout $(TIMEOUT) --jobs $(JOBS) --json bench/results/verify.json

# Do the engines contradict each other, or what is expected? Each on every task for 20 s; resumes, too.
bench-agree: $(READY)
	$(BIN)/python bench/agree.py --jobs $(JOBS) --json bench/results/agree

bench-frontend: $(READY)
	$(BIN)/python bench/frontend.py all --json bench/results/frontend.json

# Functions of real libraries, which apt fetches (it needs deb-src in its lists); resumes, too.
bench-real: $(READY)
	$(BIN)/python bench/real_code.py --timeout $(TIMEOUT) --json bench/results/real-code-$(TIMEOUT)s.json

# Rewrites the lock from pyproject.toml (needs a package index).
lock:
	$(PYTHON) -m venv $(VENV)/lock
	$(VENV)/lock/bin/pip install --quiet pip-tools
	$(VENV)/lock/bin/pip-compile --quiet --extra dev --generate-hashes --no-emit-index-url --no-emit-find-links \
	    --no-emit-trusted-host --no-header --no-annotate --strip-extras --allow-unsafe -o $(VENV)/lock/lock pyproject.toml
	{ echo '# Everything that `make` installs, with the hashes of the released files. Written by `make lock` from pyproject.toml.'; \
	    cat $(VENV)/lock/lock; } > requirements.lock

$(READY): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11) and "drystone needs Python 3.11 or later: make PYTHON=python3.11")'
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install -qq --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q drystone
	touch $@

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
