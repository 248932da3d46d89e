"""Metrics tell the store's figures under names that are written down."""

import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from penstock.core.asked.budget import Budget, BudgetWindow, Burn, SpentBudget
from penstock.core.asked.hours import Excluded
from penstock.core.asked.intent_hours import asked_at
from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.levers import WHOLE, Dial
from penstock.core.plan import Effect, Plan, Verdict
from penstock.core.seen.contacts import Contacts
from penstock.core.seen.figures import LatencyFigures
from penstock.core.seen.trouble import TroubleId, TroubleKind
from penstock.store.cards import Card
from penstock.store.sql import SqlStore
from penstock.web.server import Site
from tests.patience import patience_s
from tests.recorded import RUN, URGENT, a_cycle, a_job, a_view, an_acting_cycle
from tests.web import asking

pytestmark = pytest.mark.sockets

ROOT = Path(__file__).parents[2]
DOCUMENTED = set(
    re.findall(r"^\| `(penstock_\w+)`", (ROOT / "docs" / "reference" / "metrics.md").read_text(), re.MULTILINE)
)

Told = dict[str, dict[tuple[str, ...], float]]


@pytest.fixture
def told(site: Site) -> Told:
    return figures(site)


def figures(site: Site) -> Told:
    answer = asking.get(f"{site.url}metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    found: Told = {}
    for family in text_string_to_metric_families(answer.text):
        for sample in family.samples:
            labels = tuple(sample.labels[name] for name in sorted(sample.labels, reverse=True))  # run comes first
            found.setdefault(sample.name, {})[labels] = sample.value
    return found


def test_the_figures_are_those_of_the_store(told: Told, store: SqlStore) -> None:
    *_, view = store.views(RUN.id)
    assert told["penstock_utility"] == {("demo",): view.utility}
    assert told["penstock_job_slots"][("demo", "ads")] == view.job("ads").figures.threads
    assert told["penstock_job_latency_seconds"][("demo", "0.95", "ads")] == 3.0
    assert told["penstock_cycles_total"] == {("demo",): 4.0}


def test_latency_is_told_at_the_usual_quantiles_and_those_that_are_asked_for(site: Site, store: SqlStore) -> None:
    many = tuple((float(percent), percent / 10.0) for percent in (5, 10, 25, 50, 75, 90, 95, 97, 99))
    jobs = [a_job("ads", intent=Intent(Latency("2s", percentile=97))), a_job("fraud", intent=Intent(Juice(0.5)))]
    latency = LatencyFigures(1.5, many)
    jobs = [replace(job, figures=replace(job.figures, latency=latency)) for job in jobs]
    store.append(a_cycle(50.0, a_view(50.0, jobs)))
    told = figures(site)
    found = {(job, quantile): value for (_, quantile, job), value in told["penstock_job_latency_seconds"].items()}
    assert found == {
        **{("ads", "0.5"): 5.0, ("ads", "0.95"): 9.5, ("ads", "0.97"): 9.7, ("ads", "0.99"): 9.9},
        **{("fraud", "0.5"): 5.0, ("fraud", "0.95"): 9.5, ("fraud", "0.99"): 9.9},
    }
    assert told["penstock_job_latency_mean_seconds"] == {("demo", "ads"): 1.5, ("demo", "fraud"): 1.5}


def test_decisions_are_counted_by_reason_and_by_what_came(told: Told) -> None:
    assert told["penstock_decisions_total"] == {("demo", "Reconfigured"): 2.0}
    assert told["penstock_decision_outcomes_total"] == {("demo", "better"): 1.0, ("demo", "not_done"): 1.0}
    assert told["penstock_decisions_not_judged"] == {("demo",): 0.0}
    assert told["penstock_step_errors_total"] == {("demo",): 1.0}


def test_a_decision_that_is_looked_at_again_counts_when_that_was_the_last_look(site: Site, store: SqlStore) -> None:
    def counted() -> tuple[list[str], list[str]]:
        lines = asking.get(f"{site.url}metrics").text.splitlines()
        came = [line for line in lines if line.startswith('penstock_decision_outcomes_total{came="')]
        return sorted(line.split('"')[1] for line in came), [x for x in lines if x.startswith("penstock_decisions_not")]

    # Of a run that is over nobody looks again.
    store.desk.leave_card(RUN.id, Card(time.time(), 50.0, interval_s=patience_s()))
    store.append(an_acting_cycle(50.0))
    seems = Verdict(50.0, 110.0, 40.0, "worse", Effect.WORSE, place=0, again=True)
    store.append(a_cycle(110.0, plan=Plan(verdicts=(seems,))))
    assert counted() == (["better", "not_done"], ['penstock_decisions_not_judged{run="demo"} 1.0'])
    store.append(a_cycle(350.0, plan=Plan(verdicts=(replace(seems, text="still worse", again=False),))))
    assert counted() == (["better", "not_done", "worse"], ['penstock_decisions_not_judged{run="demo"} 0.0'])


def test_what_kind_of_thing_is_wrong_is_told_while_something_is(site: Site, store: SqlStore) -> None:
    which = TroubleId(TroubleKind.NOT_RUNNING, "no topic")
    down = replace(a_job("ads").figures, trouble="not running: no topic; tried 7 times", trouble_id=which)
    store.append(a_cycle(50.0, a_view(50.0, [replace(a_job("ads"), figures=down), a_job("fraud", 35.0)])))
    assert figures(site)["penstock_job_trouble_kind"] == {("demo", "not running", "ads"): 1.0}


def test_what_is_absent_has_no_sample(told: Told) -> None:
    assert ("demo", "m2") not in told["penstock_machine_load"]
    assert "penstock_job_recovery_seconds" not in told


def test_an_error_budget_is_told_with_its_burn_rates(site: Site, store: SqlStore) -> None:
    budget = Budget.of("99%")
    spent = SpentBudget(budget, 80.64, 100, 60, 0, (Burn(300.0, None), Burn(3600.0, 25.0), Burn(3 * 86_400.0, 1.5)))
    ads = replace(a_job("ads", intent=URGENT.lasting(budget)), spent=spent, window=BudgetWindow(0.0, good=1))
    store.append(a_cycle(50.0, a_view(50.0, [ads, a_job("fraud")])))
    told = figures(site)
    assert told["penstock_job_budget_keep_ratio"] == {("demo", "ads"): 0.99}
    assert told["penstock_job_budget_left_ratio"] == {("demo", "ads"): pytest.approx(1 - 60 / 80.64)}
    assert told["penstock_job_budget_burn_rate"] == {("demo", "1h", "ads"): 25.0, ("demo", "3d", "ads"): 1.5}
    assert told["penstock_job_urgency"] == {("demo", "ads"): spent.urgency}
    assert spent.urgency == 1.75  # 1 + 2 x (0.5 - 0.256) / 0.5 x 1, in quarters
    assert {name for name in told if "budget" in name or "urgency" in name} <= DOCUMENTED
    (tenant, _) = asking.get(f"{site.url}api/overview").json()["present"]["tenants"]
    assert tenant["budget"]["text"] == spent.text()
    assert [one["rate"] for one in tenant["budget"]["burns"]] == [None, 25.0, 1.5]


def test_a_tenant_at_rest_is_neither_met_nor_missed(site: Site, store: SqlStore) -> None:
    resting = asked_at(Intent(Latency("2s"), excluded=[Excluded(0.0, 100.0, "maintenance")]), 50.0)
    store.append(a_cycle(50.0, a_view(50.0, [replace(a_job("ads", 1e-9, intent=resting), met=True), a_job("fraud")])))
    told = figures(site)
    assert ("resting", "demo", "ads") in told["penstock_job_state"]  # stale, as the others: nobody governs
    assert "penstock_job_slo_met" not in told
    present = asking.get(f"{site.url}api/overview").json()["present"]
    assert (present["judged"], present["resting"]) == (1, 1)
    assert present["headline"].endswith("Nothing is asked of ads now: maintenance.")


FLEET = (
    Dial("executors", "fraud", now=2, least=1, most=8, asked=3, worth=((1.0, 5.0), (4.0, 10.0), (8.0, 10.0))),
    Dial("executors", "ads", now=1, least=1),
    Dial("memory", WHOLE, now=512, least=512),
)


def test_executors_are_told_by_application_as_they_are_held_wanted_and_needed(site: Site, store: SqlStore) -> None:
    store.desk.leave_card(RUN.id, Card(time.time(), 50.0, interval_s=patience_s()))
    store.append(a_cycle(50.0, replace(a_view(50.0), levers=FLEET)))
    told = figures(site)
    assert told["penstock_executors"] == {("demo", "fraud"): 2.0, ("demo", "ads"): 1.0}
    assert told["penstock_executors_wanted"] == {("demo", "fraud"): 3.0, ("demo", "ads"): 1.0}
    assert told["penstock_executors_needed"] == {("demo", "fraud"): 4.0}  # of ads nobody knows
    assert {name for name in told if "executors" in name} <= DOCUMENTED


def test_what_executors_are_worth_without_end_is_not_told_and_all_else_is(site: Site, store: SqlStore) -> None:
    store.desk.leave_card(RUN.id, Card(time.time(), 50.0, interval_s=patience_s()))
    inf = float("inf")
    endless = Dial("executors", "ads", now=1, least=1, most=inf, worth=((1.0, 5.0), (inf, 6.0), (2.0, inf)))
    store.append(a_cycle(50.0, replace(a_view(50.0), levers=(FLEET[0], endless))))
    assert figures(site)["penstock_executors_needed"] == {("demo", "fraud"): 4.0}


def test_the_executors_of_an_application_that_is_governed_alone_go_by_its_run(site: Site, store: SqlStore) -> None:
    store.append(a_cycle(50.0, replace(a_view(50.0), levers=(Dial("executors", WHOLE, now=2, least=1),))))
    assert figures(site)["penstock_executors"] == {("demo", "demo"): 2.0}


def test_nobody_is_to_scale_by_what_was_wanted_when_somebody_last_governed(site: Site, store: SqlStore) -> None:
    store.append(a_cycle(50.0, replace(a_view(50.0), levers=FLEET)))
    told = figures(site)
    assert {name for name in told if name.startswith("penstock_executors")} == {"penstock_executors"}


def test_it_is_told_how_long_agents_and_the_cluster_manager_are_silent_while_somebody_governs(
    site: Site, store: SqlStore
) -> None:
    store.append(a_cycle(50.0, replace(a_view(50.0), contacts=Contacts({"fraud": 75.0, "ads": 1.0}, 40.0))))
    assert [name for name in figures(site) if name.endswith("_silent_seconds")] == []
    store.desk.leave_card(RUN.id, Card(time.time(), 50.0, interval_s=patience_s()))
    told = figures(site)
    assert told["penstock_agent_silent_seconds"] == {("demo", "fraud"): 75.0, ("demo", "ads"): 1.0}
    assert told["penstock_cluster_silent_seconds"] == {("demo",): 40.0}


def test_in_a_run_that_is_no_fleets_nobody_is_silent(site: Site, store: SqlStore) -> None:
    store.desk.leave_card(RUN.id, Card(time.time(), 50.0, interval_s=patience_s()))
    store.append(a_cycle(50.0, a_view(50.0)))
    assert [name for name in figures(site) if name.endswith("_silent_seconds")] == []


def test_every_name_is_documented(told: Told) -> None:
    assert set(told) - DOCUMENTED == set()
    assert {name for name in told if not name.startswith("penstock_")} == set()


def test_the_grafana_dashboard_uses_documented_names_only() -> None:
    dashboard = json.loads((ROOT / "deploy" / "grafana" / "penstock.json").read_text())
    asked = " ".join(target["expr"] for panel in dashboard["panels"] for target in panel["targets"])
    used = set(re.findall(r"penstock_\w+", asked))
    assert used - DOCUMENTED == set()
    assert len(used) > 15
