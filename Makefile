.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help
help: ## what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

.venv/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.8"
	$(BIN)/uv pip sync --quiet --python $(BIN)/python requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .
	touch $@

.PHONY: setup
setup: .venv/.ready ## make .venv and fetch the local embedding model

.PHONY: lock
lock: ## write requirements.lock anew from pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --group dev pyproject.toml -o requirements.lock
