# Each target sets up all it needs; see scripts/setup.sh. Needs Python 3.11+, make and a package registry.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help
.PHONY: help setup setup-tests demo test lint format bench bench-routing bench-tenants bench-kafka bench-kafka-tenants bench-plans soak pages scenarios clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 28

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
	$(BIN)/python scripts/pages.py --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pages: setup ## build the dashboard's pages again after a change in frontend/ (needs Node; what is built is committed)
	@$(BIN)/python scripts/pages.py

scenarios: setup ## run every scenario and judge its claims
	@for file in scenarios/*/*.yaml; do \
		case $$file in *-traces.yaml|*/topologies.yaml) continue;; esac; \
		$(BIN)/penstock simulate $$file || exit 1; \
	done

bench: setup ## speed of the simulator, of deciding and of planning, with its growth
	$(BIN)/python benchmarks/simulator.py
	$(BIN)/python benchmarks/planning.py
	$(BIN)/python benchmarks/rounds.py sim

bench-routing: setup ## routing tables: speed, drifting pairs, the routing paper's figures (some minutes)
	$(BIN)/python benchmarks/routing.py --out docs/results/routing.md

bench-tenants: setup ## real Spark: the same tenants under fifo, fair, static and henge, local and on a cluster (four hours)
	$(BIN)/python benchmarks/tenants.py --runs 3 --seconds 120
	$(BIN)/python benchmarks/tenants.py --runs 3 --seconds 120 --workers 2 --cases constrained,feasible,spike,diurnal

bench-plans: setup ## real Spark: plans against what was predicted of them; rounds with and without models (half an hour)
	$(BIN)/python benchmarks/plans_on_spark.py
	$(BIN)/python benchmarks/rounds.py spark

bench-kafka: setup ## real Kafka: latency as penstock says and as a reader sees, real-time mode
	$(BIN)/python benchmarks/kafka_latency.py
	$(BIN)/python benchmarks/real_time.py

bench-kafka-tenants: setup ## real Kafka: eight tenants of the workloads under fifo, fair, static and henge (about half an hour)
	$(BIN)/python benchmarks/kafka_tenants.py --runs 3 --seconds 120

soak: setup ## an hour on Kafka with things going wrong; every row counted
	$(BIN)/python benchmarks/soak.py --minutes 60

clean: ## remove what the targets made
	rm -rf .venv .tools build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
