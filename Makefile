# On a fresh machine, `make reproduce` and `make test` set up .venv by themselves.
PYTHON ?= python3
ROUNDS ?= 1000000
SEEDS ?= 10
READING ?= as-coded
OUT ?= out
DOCS ?= docs
BIN := .venv/bin

.PHONY: reproduce reproduction-page table1 tables picture cautious limits tight presets infinite clicks choosing test slow lint types layers parity oldest adapters check bench fix clean

# Python compiles modules when they are first imported (--no-compile), because most are never needed.
# Installed again when the dependencies change. The install is editable, so changes of the code need nothing.
.venv/ready: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "robustbandits needs Python 3.11 or newer")'
	@echo "setting up .venv: about a minute"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

reproduce: .venv/ready  ## play the games of the paper's Figure 1
	$(BIN)/robustbandits reproduce --rounds $(ROUNDS) --seeds $(SEEDS) --reading $(READING) --out $(OUT)

# Plays half an hour on two cores. It can be interrupted: the same command continues with what $(OUT)/store lacks.
reproduction-page: .venv/ready  ## play the games of Figure 1 in all readings, as-coded with 100 seeds, and write docs/reproduction.md
	$(BIN)/robustbandits reproduce --reading all --rounds $(ROUNDS) --seeds $(SEEDS) --as-coded-seeds 100 --out $(OUT)
	cp $(OUT)/reproduction.md $(OUT)/figure1.png $(DOCS)/

table1: .venv/ready  ## play every policy on one benchmark, and write docs/policies.md
	$(BIN)/robustbandits cache fill
	$(BIN)/robustbandits run table1 --store $(OUT)/table1
	$(BIN)/python -m tools.policy_tables $(OUT)/table1 docs/policies.md

tables: .venv/ready  ## write what is derived from the classes: tables of documents, rows of specs
	$(BIN)/python -m tools.make_tables

picture: .venv/ready  ## play and draw the picture of the README, docs/hijack.svg
	$(BIN)/python -m tools.hijack_picture docs/hijack.svg

cautious: .venv/ready  ## measure which attacks CautiousLinUCB withstands, and write docs/cautious.md
	$(BIN)/robustbandits run cautious --store $(OUT)/cautious
	$(BIN)/robustbandits run tolerance --store $(OUT)/tolerance
	$(BIN)/python -m tools.policy_tables $(OUT)/cautious docs/cautious.md
	$(BIN)/python -m tools.policy_tables $(OUT)/tolerance docs/cautious.md
	$(BIN)/python -m tools.search_table docs/cautious.md

tight: .venv/ready  ## measure the tight bonus beside the others, and write docs/tight.md
	$(BIN)/robustbandits run tight --store $(OUT)/tight
	$(BIN)/python -m tools.policy_tables $(OUT)/tight docs/tight.md
	$(BIN)/python -m tools.tight_table docs/tight.md

limits: .venv/ready  ## measure what policies pay and withstand beside the limit, and write docs/limits.md and its chart
	$(BIN)/python -m tools.limits_table docs/limits.md docs/policies.md docs/tight.md

presets: .venv/ready  ## measure the practical presets and the theory's constants, and write docs/presets.md
	$(BIN)/robustbandits run exploration --store $(OUT)/exploration
	$(BIN)/robustbandits run presets --store $(OUT)/presets
	$(BIN)/python -m tools.policy_tables $(OUT)/exploration docs/presets.md
	$(BIN)/python -m tools.policy_tables $(OUT)/presets docs/presets.md

# Plays two hours on one core. It can be interrupted: the same command continues with what the store lacks, and the
# tables can be written from an unfinished store.
infinite: .venv/ready  ## play infinitely many arms, and write docs/infinite.md
	$(BIN)/robustbandits run infinite --store $(OUT)/infinite
	$(BIN)/python -m tools.policy_tables $(OUT)/infinite docs/infinite.md
	$(BIN)/python -m tools.horizon_table docs/infinite.md

# Plays an hour on two cores, most of it with a million rounds.
clicks: .venv/ready  ## measure rewards that are clicks, over sigma, and write docs/clicks.md
	$(BIN)/robustbandits run clicks --store $(OUT)/clicks
	$(BIN)/robustbandits run clicks-million --store $(OUT)/clicks-million
	$(BIN)/python -m tools.worst_tables docs/clicks.md $(OUT)/clicks $(OUT)/clicks-million

choosing: .venv/ready  ## measure which policy suits which setting, and write docs/choosing.md
	$(BIN)/robustbandits run choosing --store $(OUT)/choosing
	$(BIN)/robustbandits run choosing-long --store $(OUT)/choosing-long
	$(BIN)/python -m tools.worst_tables docs/choosing.md $(OUT)/choosing $(OUT)/choosing-long

# Files are not sorted by their number of tests: long files with few tests would come last, on one core.
test: .venv/ready  ## the tests
	$(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder -m 'not slow and not adapters'

slow: .venv/ready  ## the slow tests: examples, the compile cache, long games
	$(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder -m 'slow and not adapters'

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

layers: .venv/ready
	$(BIN)/lint-imports

# The tests again without compiled code. Slow tests are left out: they need compiled code, or play long games.
parity: .venv/ready
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto -m 'not slow and not statistical and not adapters'

# The oldest supported versions need Python 3.11 or 3.12.
OLDEST := .venv-oldest/bin/python
OLDEST_TESTS := tests/compiled tests/kernels/test_scoring.py tests/kernels/test_linalg.py \
  tests/game/test_dispatch.py tests/game/test_reads_policy.py tests/parity/test_agent.py \
  tests/agent/test_file_format.py

.venv-oldest/ready: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv .venv-oldest
	$(OLDEST) -m pip install --no-compile --quiet --disable-pip-version-check -c constraints-oldest.txt -e . pytest pytest-xdist hypothesis
	touch $@

oldest: .venv-oldest/ready  ## a quick set of tests with the oldest supported Numba and NumPy
	$(OLDEST) -m pytest -n auto --dist loadscope -m 'not slow' $(OLDEST_TESTS)

# Policies of other libraries play here. They are installed apart, because one of them is compiled when it is installed.
ADAPTERS := .venv-adapters/bin/python

.venv-adapters/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-adapters
	$(ADAPTERS) -m pip install --no-compile --quiet --disable-pip-version-check -c constraints.txt -e '.[adapters,lab,pandas]' pytest pytest-xdist hypothesis
	touch $@

adapters: .venv-adapters/ready  ## the tests of adapters, with the real libraries
	ROBUSTBANDITS_ADAPTERS_REQUIRED=1 $(ADAPTERS) -m pytest -n auto --dist loadscope -m adapters tests/adapters

check: lint types layers slow oldest adapters parity  ## what CI runs beside the tests

bench: .venv/ready  ## measure speed; prints ratios, writes JSON
	$(BIN)/python benchmarks/bench.py --out $(OUT)
	$(BIN)/python benchmarks/whole_game.py --out $(OUT)
	$(BIN)/python benchmarks/agent.py --out $(OUT)
	$(BIN)/python benchmarks/peers.py --out $(OUT)
	$(BIN)/python benchmarks/policies.py --out $(OUT)
	$(BIN)/python benchmarks/lab.py
	$(BIN)/python benchmarks/ratings.py
	$(BIN)/python benchmarks/factorize.py

fix: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv .venv-oldest .venv-adapters out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
