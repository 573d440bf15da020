# What can be made here. `make run` and `make test` set up all they need by themselves.
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
export DOSO_HOME ?= $(CURDIR)/.doso
CASES ?= ../shared/cases/cases.jsonl
AREA ?=

.PHONY: help
help: ## list these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

.venv/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.8"
	$(BIN)/uv pip sync --quiet --compile-bytecode --python $(BIN)/python requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e . "uv>=0.8"
	touch $@

.PHONY: setup
setup: .venv/.ready ## make .venv, compile what is there, fetch the local embedding model into DOSO_HOME
	$(BIN)/python -m compileall -q api ask doso graph ingest
	$(BIN)/python -m doso.llm.models

.PHONY: run
run: setup ## import the sample archive, ask it a question, leave the server running
	$(BIN)/python tools/run_sample.py

.PHONY: stop
stop: ## stop the server that `make run` left running
	$(BIN)/python tools/run_sample.py --stop

.PHONY: test
test: setup ## set up the real services and run the whole suite
	@bash tools/install_system.sh || test -z "$$CI"
	@$(BIN)/python tools/neo4j_server.py fetch || test -z "$$CI"
	@$(BIN)/python tools/small_model.py fetch || test -z "$$CI"
	@$(BIN)/python tools/sdk_clients.py || test -z "$$CI"
	$(BIN)/python -m pytest

.PHONY: check
check: setup ## lint, format, types and import contracts, changing nothing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: fix
fix: .venv/.ready ## mend what the linter and the formatter can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: types
types: .venv/.ready ## write docs/openapi.json, from which clients make their types
	$(BIN)/python tools/write_openapi.py

.PHONY: cases
cases: setup ## run a file of cases through the real doors: make cases CASES=FILE [AREA=area]
	$(BIN)/python -m tests.cases $(CASES) $(if $(AREA),--area $(AREA))

.PHONY: bench
bench: setup ## measure evidence quality, latency and what a chat pays for Doso (minutes); figures stand in docs/benchmarks.md
	$(BIN)/python tools/neo4j_server.py fetch
	$(BIN)/python -m bench.locomo
	$(BIN)/python -m bench.latency
	$(BIN)/python -m bench.proxy

.PHONY: build
build: .venv/.ready ## build the wheel
	$(BIN)/python -m build --wheel --no-isolation

.PHONY: lock
lock: ## write requirements.lock anew from pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --group dev pyproject.toml -o requirements.lock

.PHONY: clean
clean: ## remove what was made here, DOSO_HOME excepted
	rm -rf .venv .cache build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
