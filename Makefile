# Each target sets up all it needs; see scripts/setup.sh. Needs Python 3.11+, make and a package registry.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help
.PHONY: help setup setup-tests demo test lint format bench bench-tenants bench-plans scenarios clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

setup: ## make this checkout ready to run
	@PYTHON="$(PYTHON)" scripts/setup.sh

setup-tests:
	@PYTHON="$(PYTHON)" scripts/setup.sh tests

demo: setup ## real Spark, embedded: tenants in trouble, then helped
	@$(BIN)/penstock demo

test: setup-tests ## run all tests
	@$(BIN)/pytest

lint: setup ## linter, formatter check, types, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

scenarios: setup ## run every scenario and judge its claims
	@for file in scenarios/*/*.yaml; do \
		case $$file in *-traces.yaml|*/topologies.yaml) continue;; esac; \
		$(BIN)/penstock simulate $$file || exit 1; \
	done

bench: setup ## speed of the simulator, of deciding and of planning, with its growth
	$(BIN)/python benchmarks/simulator.py
	$(BIN)/python benchmarks/planning.py

bench-tenants: setup ## real Spark: the same tenants under fifo, fair, static and henge (about an hour)
	$(BIN)/python benchmarks/tenants.py --runs 3 --seconds 120

bench-plans: setup ## real Spark: plans carried out, against what was predicted of them (about half an hour)
	$(BIN)/python benchmarks/plans_on_spark.py

clean: ## remove what the targets made
	rm -rf .venv .tools build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
