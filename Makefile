# Everything runs from .venv, which scripts/setup makes; only setup uses the network.
bin := .venv/bin
# `make test T=tests/cli N=0` runs some of the tests, in one process.
T :=
N := auto

# One dropped connection ends no setup.
export PIP_RETRIES ?= 10
export UV_HTTP_RETRIES ?= 10
export npm_config_fetch_retries ?= 5

.DEFAULT_GOAL := help
.PHONY: help setup demo lint test test-deep nightly test-clients test-pythons test-browser test-package docs bench coverage-table schemas clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-15s %s\n", $$1, $$2}' Makefile

setup: ## make .venv from the lock file; does nothing when it is already so
	@scripts/setup

demo: setup ## show what Interlock decides, on examples
	@scripts/demo

lint: setup ## style, format, types, direction of imports
	@$(bin)/ruff check
	@$(bin)/ruff format --check
	@$(bin)/mypy
	@$(bin)/lint-imports

test: lint ## lint, then every test that starts no process and waits for nothing; T=tests/cli: only those
	@PYTHONDONTWRITEBYTECODE= $(bin)/pytest -n $(N) --dist worksteal -m "not deep" $(T)
	@echo "not run here: make test-deep (real processes), test-clients (the real Claude Code), test-browser (a real Chromium)"

test-deep: setup ## every other test, several at a time, with coverage; T=tests/cli: only those
	@scripts/sandbox
	@scripts/postgres
	@PYTHONDONTWRITEBYTECODE= $(bin)/python -m scripts.run_tests -n $(N) --dist worksteal -m deep --cov=interlock --cov-branch --cov-report= $(T)
	@echo "run by these tests: $$($(bin)/coverage report --format=total) % of the code; .venv/bin/coverage report says where the rest is"

nightly: setup ## ten times the random shell texts, other ones each day; 8 times 100,000 appends; every fault
	@scripts/sandbox
	@ORACLE_TEXTS=20000 ORACLE_SEED=$${ORACLE_SEED:-$$(date +%Y%m%d)} $(bin)/pytest -s tests/effects/test_shell_oracle.py tests/cases/test_decision_oracle.py
	@INTERLOCK_TEST_NEW_EXAMPLES=1 $(bin)/pytest -n $(N) --dist worksteal -m "not deep"
	@INTERLOCK_TEST_APPENDS=100000 $(bin)/pytest tests/ledger/test_processes.py
	@INTERLOCK_TEST_FAULTS_EVERY=1 $(bin)/pytest tests/daemon/test_file_faults.py
	@scripts/postgres
	@INTERLOCK_TEST_FAULTS_EVERY=1 $(bin)/pytest tests/features/team_ledger/test_fleet_killing.py
	@INTERLOCK_TEST_RESTARTS=20 INTERLOCK_TEST_RESTART_SECONDS=5-40 $(bin)/pytest tests/features/team_ledger/test_fleet_chaos.py

test-clients: setup ## drive the real Claude Code, offline once it is installed
	@$(bin)/python -m clients.install >/dev/null
	@$(bin)/python -m package.install >/dev/null
	@$(bin)/python -m scripts.run_tests clients

test-pythons: setup ## the tests that lean on the interpreter, on every other Python that PATH has
	@scripts/sandbox
	@scripts/other_pythons

test-browser: setup ## use the dashboard in a real Chromium; pictures of every page go to build/screenshots
	@$(bin)/python -m browser.install >/dev/null
	@$(bin)/python -m scripts.run_tests browser

test-package: setup ## build the packages, install them into empty environments with pip, pipx and uvx, and try them
	@$(bin)/python -m package.install >/dev/null
	@$(bin)/python -m scripts.run_tests package

docs: setup ## build the documentation as a site, strictly, into build/site
	@scripts/docs

bench: setup ## every figure beside its bar: reading, decisions, shim, daemon, ledger, dashboard, the real client
	@$(bin)/python -m clients.install >/dev/null
	@for one in read decide baseline hooks shim daemon steps indexed monsters ledger team_ledger redact work work_hooks web client; do echo "== $$one"; $(bin)/python -m bench.$$one || missed="$$missed $$one"; done; \
	test -z "$$missed" || { echo "bars missed:$$missed"; exit 1; }

coverage-table: setup ## write docs/coverage.md: which tests hold which requirement
	@$(bin)/python -m scripts.coverage_table

schemas: setup ## write the JSON Schemas of the policy files anew
	@$(bin)/python -m interlock.policy.format.json_schema

clean: ## remove caches and build products; .venv stays
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .cache
	@rm -rf .coverage .coverage.* htmlcov build dist
	@find src tests clients browser scripts bench examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
