# Each target sets up all it needs; see scripts/setup.sh. Needs Python 3.11+, make and a package registry.
PYTHON ?= python3
BIN := .venv/bin
SEED ?= $(shell date +%s)
.DEFAULT_GOAL := help
.PHONY: help setup setup-tests demo check check-code check-tests coverage test test-spark test-long test-oldest test-lakes test-lineage test-fleet test-yarn test-kubernetes test-fleet-fails test-random lint format bench bench-routing bench-tenants bench-tenants-short bench-kafka bench-kafka-tenants bench-fleet bench-attaching bench-plans bench-web soak chaos chaos-long chaos-sum chaos-short chaos-fleet pages pages-test plugin alerts chart docs scenarios clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 28

setup: ## make this checkout ready to run
	@PYTHON="$(PYTHON)" scripts/setup.sh

setup-tests:
	@PYTHON="$(PYTHON)" scripts/setup.sh tests

demo: setup ## real Spark, embedded: tenants in trouble, then helped
	@$(BIN)/penstock demo

# Types beside the tests, on a core each; what each says is told in one piece, and one that fails stops no other.
check: setup ## before a commit: lint, and the tests that need no JVM, server, browser or cluster (four minutes)
	@$(MAKE) --no-print-directory --keep-going --jobs=2 --output-sync=target check-code check-tests

check-code:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python scripts/pages.py --check
	$(BIN)/python scripts/reference.py --check
	$(BIN)/python scripts/plugin.py --check
	$(BIN)/lint-imports
	$(BIN)/mypy

check-tests:
	@PYTEST_PLUGINS=tests.harness.covered $(BIN)/python -m pytest -m "not real and not sockets and not long and not helm and not alerts" -n $(or $(WORKERS),2) --dist worksteal

coverage: setup check-tests ## how much of the code the tests of `make check` run through, file by file
	@$(BIN)/python -m coverage report

# Three workers, on two cores, for a real test waits half of its time; what shares a Spark, a broker, a cluster, a database or
# a browser is on one of them: see tests/harness/spread.py.
HERE := not yarn and not kubernetes and not lakes and not lineage and not helm and not alerts
SPREAD := -n $(or $(WORKERS),3) --dist loadgroup --durations=10 --durations-min=1
test: setup-tests ## run the tests: on real Spark only the contract that its fake is held to (WORKERS=0: in one process)
	@$(BIN)/pytest -m "(contract or not (jvm or cluster)) and not long and $(HERE)" $(SPREAD)

test-spark: setup-tests ## run all others on real Spark, on Kafka and on clusters of processes: before a push, and in CI
	@$(BIN)/pytest -m "(jvm or cluster) and not contract and not long and $(HERE)" $(SPREAD)

test-long: setup-tests ## run the tests that only add breadth: before an issue closes
	@$(BIN)/pytest -m "long and $(HERE)" $(SPREAD)

# What governing is built on, tried on a Spark itself, in CI too: figures (engine, measured), shares, restarts and queries
# that die (contract), bounds (doctor), bad days, begins; and a driver in Java that is governed from beside it. What is pure
# is left out, for an older Spark changes nothing there, and Kafka, whose connector is of the newest one. `SPARK=4.1` tries
# another version.
SPARK ?= 3.5
OLDEST := test_bad_days test_begins test_contract test_doctor test_engine test_measured beside/test_context
test-oldest: ## run the engine's tests that matter on the oldest Spark (SPARK=4.0: on another), in an environment of its own
	@PYTHON="$(PYTHON)" scripts/setup.sh spark $(SPARK)
	@.venv-spark-$(SPARK)/bin/python -m pytest -m "not long" $(OLDEST:%=tests/engines/spark/%.py) --durations=5 --durations-min=1
	@.venv-spark-$(SPARK)/bin/python -m pytest tests/engines/spark/beside/test_attach.py -rs

# The newest Spark that both have a release for.
LAKES_SPARK := 4.1
test-lakes: ## queries that read and write Delta and Iceberg tables, in an environment of its own (fetches their jars)
	@PYTHON="$(PYTHON)" scripts/setup.sh spark $(LAKES_SPARK)
	@.venv-spark-$(LAKES_SPARK)/bin/python -m pytest -m lakes tests/lakes --durations=5 --durations-min=1

test-lineage: setup-tests ## decisions beside what OpenLineage's listener tells, on real Spark (fetches its jar)
	@$(BIN)/pytest -m lineage tests/lineage --durations=5 --durations-min=1

test-fleet: setup-tests ## coordinators that are killed, frozen and cut off, as processes (two minutes; needs PostgreSQL)
	@$(BIN)/pytest tests/governing/test_coordinators_fail.py tests/governing/test_coordinating.py --durations=5 --durations-min=1

test-yarn: setup-tests ## a real YARN from Maven's jars, an application on it, and a coordinator (some minutes)
	@$(BIN)/pytest -m "yarn and not long" tests/yarn --durations=5 --durations-min=1

# Where KUBECONFIG names a cluster, on that one.
test-kubernetes: setup-tests ## a real Kubernetes API server and scheduler, built with Go the first time (a quarter of an hour)
	@$(MAKE) --no-print-directory .tools/helm/helm || echo "without helm the tests that install the chart cannot pass" >&2
	@$(BIN)/pytest -m "kubernetes and not long" tests/kubernetes -rs --durations=5 --durations-min=1

test-fleet-fails: setup-tests ## what fails under real drivers and their coordinators on YARN and Kubernetes (half an hour)
	@$(BIN)/pytest -m "(yarn or kubernetes) and long" tests/yarn tests/kubernetes -rs --durations=5 --durations-min=1

test-random: setup-tests ## run both as one, in another order each time (SEED=...: in one that was told before)
	@echo "the order's seed: $(SEED)"
	@$(BIN)/pytest -m "not long and $(HERE)" -p randomly --randomly-seed=$(SEED)

lint: setup check-code ## linter, formatter check, types, import rules

format: setup ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

alerts: setup ## what the alert rules say when, asked of promtool, and of a Prometheus that scrapes (fetches Debian's package; installs nothing)
	@PYTHON="$(PYTHON)" scripts/setup.sh alerts
	@PATH="$$PATH:$(CURDIR)/.tools/prometheus/usr/bin"; cd deploy/prometheus && promtool check rules penstock.rules.yml && \
		promtool test rules penstock.rules.test.yml
	@$(BIN)/pytest -m alerts tests/web/test_prometheus.py

# Built once, with Go and from its module proxy (some minutes); where helm is on the PATH, that one.
HELM := helm.sh/helm/v3/cmd/helm@v3.18.6
.tools/helm/helm:
	@mkdir -p .tools/helm
	@if command -v helm >/dev/null; then ln -sf "$$(command -v helm)" $@; \
		elif command -v go >/dev/null; then GOBIN="$(CURDIR)/.tools/helm" CGO_ENABLED=0 go install $(HELM); \
		else echo "no helm was found, and no Go to build it with: install one of them" >&2; exit 1; fi

chart: setup-tests .tools/helm/helm ## helm lint and template of the chart, and what it renders against the API's schemas
	@$(BIN)/pytest tests/deploy/test_chart.py

pages: setup ## build the dashboard's pages again after a change in frontend/ (needs Node; what is built is committed)
	@$(BIN)/python scripts/pages.py

pages-test: setup ## the pages' types and the tests of their components, without a browser (needs Node; half a minute)
	@$(BIN)/python scripts/pages.py --test

plugin: setup ## build the plugin for drivers in Scala, SQL and pipelines again after a change (needs a JDK; the jar is committed)
	@$(BIN)/python scripts/plugin.py

docs: setup ## build the site from docs/ into site/: strict, so that every link leads somewhere
	@PYTHON="$(PYTHON)" scripts/setup.sh docs
	.venv-docs/bin/mkdocs build --strict --quiet
	@echo "open site/index.html"

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

# In turns, medians and ranges, with what else used the machine: tenants that wait, local and on a cluster; tenants that
# burn the cores, on Kafka; what governing costs. --grid measures what a clairvoyant could have set by hand.
bench-tenants: setup ## real Spark: the same tenants under each policy and with the best set by hand (half a day)
	$(BIN)/python benchmarks/tenants.py --runs 3 --seconds 120 --grid 1
	$(BIN)/python benchmarks/tenants.py --runs 3 --seconds 120 --grid 1 --workers 2
	$(BIN)/python benchmarks/kafka_cpu.py --runs 5 --grid 1
	$(BIN)/python benchmarks/cost_of_governing.py --pairs 48

bench-tenants-short: setup ## the cases of bench-tenants that are hardest, twice each (35 minutes)
	$(BIN)/python benchmarks/tenants.py --runs 2 --seconds 90 --cases constrained --policies fair,static,penstock
	$(BIN)/python benchmarks/kafka_cpu.py --runs 2 --seconds 90 --loads 1.3 --slots $$((2 * $$(nproc))) \
		--policies "fair,shares by hand,bounds by hand,penstock"
	$(BIN)/python benchmarks/cost_of_governing.py --pairs 10

bench-plans: setup ## real Spark: plans against what was predicted of them; rounds with and without models (half an hour)
	$(BIN)/python benchmarks/plans_on_spark.py
	$(BIN)/python benchmarks/rounds.py spark

bench-kafka: setup ## real Kafka: latency as penstock says and as a reader sees, real-time mode
	$(BIN)/python benchmarks/kafka_latency.py
	$(BIN)/python benchmarks/real_time.py

bench-kafka-tenants: setup ## real Kafka: eight tenants of the workloads under each policy (about half an hour)
	$(BIN)/python benchmarks/kafka_tenants.py --runs 3 --seconds 120

bench-fleet: setup ## eight applications on each cluster manager, under each way to divide executors (an hour and a half, 12 GB)
	for on in standalone yarn kubernetes; do $(BIN)/python benchmarks/fleet_of_eight.py --on $$on || exit 1; done

bench-attaching: setup-tests ## fresh venvs and the documented lines alone, to the first decision; the doctor's table (needs a registry)
	@PYTHONPATH=. $(BIN)/python benchmarks/attaching.py --out docs/compatibility.md

# 5,000 slow sockets, 200 streams and 50 what-ifs, a minute each, three runs of a server and three of a driver with pages.
bench-web: setup-tests ## pages under attack: how long control takes, how far apart cycles are, how fast the log grows, as ranges
	@for of in serve run; do \
		PYTHONPATH=. $(BIN)/python benchmarks/web_attack.py --of $$of --sockets 5000 --streams 200 --what-ifs 50 --for 60 --runs 3 || exit 1; \
	done

soak: setup ## an hour on Kafka with things going wrong; every row counted
	$(BIN)/python benchmarks/soak.py --minutes 60

# The same seed, the same pairs of faults. `chaos` starts a cluster, a broker, PostgreSQL and drivers; `chaos-fleet` no JVM.
MINUTES ?= 10
TENANTS ?= 8
SKIP ?= 0
PORTIONS ?= docs/results/chaos-portions.jsonl
chaos: setup-tests ## a nemesis on Kafka: pairs of faults drawn from SEED (after SKIP of them) for MINUTES, every row of TENANTS counted, laws checked
	@PYTHONPATH=. $(BIN)/python benchmarks/chaos.py --seed $(SEED) --skip $(SKIP) --minutes $(MINUTES) --tenants $(TENANTS) --portions $(PORTIONS)

chaos-sum: setup ## what all portions of the nemesis that were kept come to, of 200 faults over ten seeds
	@$(BIN)/python benchmarks/chaos_portions.py $(PORTIONS)

# Ten seeds of 24 minutes each: 200 faults in four hours where a pair takes no longer than 144 s. To each comes its start.
SEEDS ?= 1 2 3 4 5 6 7 8 9 10
chaos-long: setup-tests ## the nemesis over ten SEEDS, four hours of it; each result is added to docs/results/chaos.md
	@well=0; for seed in $(SEEDS); do \
		PYTHONPATH=. $(BIN)/python benchmarks/chaos.py --seed $$seed --minutes 24 --portions $(PORTIONS) --out docs/results/chaos.md || well=1; \
	done; exit $$well

# Eight faults, each once, drawn in these pairs: a worker with a re-routing, acts with the broker, the JVM's descriptors with
# PostgreSQL, what-ifs with the driver. How soon all is well again depends on the machine, and is only told.
SHORT = kill worker,kill Python,kill broker,stop PostgreSQL,take descriptors of JVM,flood acts,flood what-ifs,re-route routed2
chaos-short: setup-tests ## four pairs of faults of the nemesis on Kafka, with four tenants: no row lost or doubled (ten minutes; what CI runs)
	@PYTHONPATH=. $(BIN)/python benchmarks/chaos.py --pairs 4 --tenants 4 --untimed --seed 2806 --only "$(SHORT)"

chaos-fleet: setup-tests ## the nemesis over two coordinators of a simulated cluster (SEED=..., MINUTES=...)
	@PYTHONPATH=. $(BIN)/python benchmarks/chaos_fleet.py --seed $(SEED) --minutes $(MINUTES)

clean: ## remove what the targets made
	rm -rf .venv .venv-spark-* .tools build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
