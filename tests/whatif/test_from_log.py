"""Advice on a run without penstock: what was met, how far the simulator is off, what would have been enough."""

from dataclasses import replace
from pathlib import Path

import pytest

from penstock.calls.advised import advise as advised
from penstock.calls.advised import queries
from penstock.cli.advised import told
from penstock.core.asked.intents import Intent, Latency
from penstock.core.asked.price import Price
from penstock.engines.spark.history.events import logged
from penstock.engines.spark.history.replay import History, replayed
from penstock.engines.spark.jobs.job import Job
from penstock.errors import ConfigError
from penstock.whatif.from_log import Advice, advise
from tests.cli.calling import penstock
from tests.event_log import Query, log_of

FRAUD = Query("fraud", rows_per_s=100.0, every_s=1.0, took_s=0.5, busy_s=0.8)
IN_TIME = Intent(Latency("2s", utility=40))
WITHIN_S = 600.0  # never the reason that something is missing here


def history(seconds: float = 60.0) -> History:
    return replayed(list(logged(log_of([FRAUD], seconds))), [Job("fraud")])


@pytest.fixture(scope="module")
def advice(tmp_path_factory: pytest.TempPathFactory) -> Advice:
    log, tenants = tmp_path_factory.mktemp("logs") / "app-1", tmp_path_factory.mktemp("tenants") / "tenants.yaml"
    log.write_bytes(b"".join(log_of([FRAUD], 60.0)))
    # All four slots are those of one executor.
    price = "price: {executor_hour: 0.4, currency: EUR}"
    tenants.write_text(f"{price}\njobs: [{{name: fraud, intent: {{latency: 2s, utility: 40}}}}]")
    return advised(log, tenants, within_s=WITHIN_S)[1]


def test_what_was_met_is_said_with_the_error_of_the_simulator(advice: Advice) -> None:
    (fraud,) = advice.tenants
    assert (fraud.really.met, fraud.as_is.met) == (1.0, 1.0)
    assert fraud.latency_s == pytest.approx(1.0, abs=0.1)
    assert advice.off is not None
    assert advice.off < 0.05
    assert advice.whole


def test_the_fewest_slots_that_are_enough_are_found(advice: Advice) -> None:
    """In one slot 0.8 s of tasks and what a batch takes beside them are more than its second: it misses triggers."""
    assert [(one.slots, one.enough) for one in advice.slots] == [(1, False), (2, True)]
    assert advice.enough_slots == 2


def test_what_is_enough_is_said_with_its_price_where_the_file_has_one(advice: Advice) -> None:
    assert advice.slot_price == Price(0.1, "EUR")
    *_, slots = told(history(), advice)
    has = "Slots: with penstock, 2 slots (1 executor of the same size, 0.20 EUR an hour) meet all intents"
    assert slots == f"{has}; the run had 4, 0.40 EUR an hour."
    *_, unpriced = told(history(), replace(advice, slot_price=None))
    assert "an hour" not in str(unpriced)


def test_a_log_that_is_too_short_to_compare_is_refused() -> None:
    with pytest.raises(ConfigError, match="batches for 40 s or more"):
        advise(history(30.0), {"fraud": IN_TIME}, 600.0, WITHIN_S)


@pytest.mark.parametrize("content", [b"", b"26/11/23 23:56:07 WARN SparkContext: told as text\n", bytes(4_000)])
def test_what_is_no_event_log_is_no_run_without_queries(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "driver.log").write_bytes(content)
    told = penstock("advise", "--history", str(tmp_path))
    assert told.returncode == 2
    assert f"{tmp_path / 'driver.log'}' cannot be used; no event of Spark is in it" in told.stderr


def test_the_command_says_which_queries_there_were_and_what_is_wrong_with_a_name(tmp_path: Path) -> None:
    (tmp_path / "app-1").write_bytes(b"".join(log_of([FRAUD], 60.0)))
    assert list(queries(tmp_path)) == ["fraud"]
    told = penstock("advise", "--history", str(tmp_path))
    assert told.stdout.startswith("Queries of the run: fraud\n")
    tenants = tmp_path / "tenants.yaml"
    tenants.write_text("jobs: [{name: fruad, intent: {latency: 2s}}]")
    told = penstock("advise", "--history", str(tmp_path / "app-1"), str(tenants))
    assert told.returncode == 2
    assert "jobs: 'fruad' cannot be used; name queries of the run; it has: fraud" in told.stderr
