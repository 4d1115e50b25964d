# Everything here needs Python 3.11 or later and make; the first target that runs sets the environment up.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TRAINS := $(VENV)/.trains
NOW := $(shell date +%Y%m%d-%H%M%S)
DEMO ?= runs/demo-$(NOW)
WORKERS ?= 2
# The tests start hundreds of processes, each of which would compile all sources again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-plain test-compiled test-slow test-pythons test-lowest check docs site serve bench screenshots clean

# What the demo needs, without what the tests bring.
$(TRAINS): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[train]"
	touch $(TRAINS)

# Of what is installed, only what is imported is compiled to byte code, when it is: a quarter of the time of installing.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -e ".[test,check]"
	touch $(READY)

## Train a Euchre policy, about two minutes on two quiet cores, and play it against seven opponents, `learned` among them.
# By steps, with what else its weights depend on given: the same policy on a busy machine as on a quiet one.
demo: $(TRAINS)
	$(BIN)/cardenvs train euchre --steps 6000000 --threads 2 --device cpu --set precision=float32 --out $(DEMO)
	$(BIN)/cardenvs evaluate euchre $(DEMO)/policy.zip --workers $(WORKERS) --report $(DEMO)/results.md
	@echo "the learning curve: $(DEMO)/curve.png"

## All tests but the slow ones: with the kernels as plain Python, and beside them those that need compiled ones.
test: $(READY)
	$(MAKE) --keep-going --jobs 2 --output-sync=target test-plain test-compiled

# The two halves of `make test`; the second is one process, which takes the longer and goes first where cores are few. Tests of
# the first wait for browsers and servers: it is several processes.
test-plain: $(READY)
	NUMBA_DISABLE_JIT=1 nice -n 10 $(BIN)/python -m pytest -q -m "not slow and not compiled" -n $(WORKERS) --dist loadfile --no-loadscope-reorder
test-compiled: $(READY)
	$(BIN)/python -m pytest -q -m "compiled and not slow"

## All tests, compiled: the long statistical checks and trainings, too.
test-slow: $(READY)
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile

## A little of everything from a wheel, on each other Python that this machine has, and with the lowest versions allowed.
test-pythons: $(READY)
	$(BIN)/python -m tests.portable.run
test-lowest: $(READY)
	$(BIN)/python -m tests.portable.run --lowest

## Linter, formatter, types.
check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

## The documents and tables that are written by the code.
docs: $(READY)
	$(BIN)/cardenvs observation --report docs/observations.md
	$(BIN)/python docs/generate.py

## The documentation site, into site/; ends at a dead link, a page that nobody finds or a docstring that is wrong.
site: $(READY)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[docs]"
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build

## The documentation as a site of this machine, where its search works; Ctrl-C ends it.
serve: site
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory site 8000

## The pictures of the tables that people play at, taken by the tests in a browser; needs a Chromium.
screenshots: $(READY)
	CARDENVS_SCREENSHOTS=1 $(BIN)/python -m pytest -q tests/play/test_web_page.py -k pictures

## The speed figures.
bench: $(READY)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[bench]"
	$(BIN)/cardenvs bench --report docs/results/bench.md --json > docs/results/bench.json
	$(BIN)/python benchmarks/first_use.py --report docs/results/first_use.md
	$(BIN)/python benchmarks/search.py --report docs/results/search.md --json > docs/results/search.json
	$(BIN)/python benchmarks/ismcts.py --report docs/results/ismcts.md --json > docs/results/ismcts.json
	$(BIN)/python benchmarks/learned.py --report docs/results/learned_speed.md --json > docs/results/learned_speed.json
	$(BIN)/python benchmarks/five_o.py --report docs/results/five_o_speed.md --json > docs/results/five_o_speed.json
	$(BIN)/python benchmarks/five_o_rollout.py --report docs/results/five_o_rollout.md --json > docs/results/five_o_rollout.json
	$(BIN)/python benchmarks/five_o_rows.py --report docs/results/five_o_rows.md --json > docs/results/five_o_rows.json
	$(BIN)/python benchmarks/five_o_wall.py --deals 60 --two-rows 50 --report docs/results/five_o_wall.md --json > docs/results/five_o_wall.json
	$(BIN)/python benchmarks/programs.py --report docs/results/programs.md --json > docs/results/programs.json
	$(BIN)/python benchmarks/described.py --report docs/results/described_speed.md --json > docs/results/described_speed.json

clean:
	rm -rf $(VENV) build dist *.egg-info
