"""What a changed tenants file changes of a run that goes on."""

from collections.abc import Mapping

import pytest

from penstock.config.changes import FileChanges, changes
from penstock.config.problems import checked
from penstock.config.tenants import TenantsFile

FRAUD = {"name": "fraud", "job": "shop_jobs:fraud", "intent": {"latency": "2s", "utility": 40}, "max_slots": 4}
AUDIT = {"name": "audit", "job": "shop_jobs:audit", "intent": {"juice": 0.9}}


def a_file(*jobs: Mapping[str, object], **fields: object) -> TenantsFile:
    return checked(TenantsFile, {"jobs": list(jobs or (FRAUD, AUDIT)), **fields}, "tenants file")


def became(wanted: TenantsFile, running: TenantsFile | None = None) -> FileChanges:
    return changes(running or a_file(), wanted)


def test_the_same_file_changes_nothing() -> None:
    assert became(a_file()) == FileChanges(a_file())


def test_intents_limits_price_and_settings_are_taken_over() -> None:
    faster = {**FRAUD, "intent": {"latency": "1s", "utility": 40}, "max_slots": 3, "min_slots": 2}
    wanted = a_file(faster, AUDIT, price={"slot_hour": 0.05, "currency": "EUR"}, settings={"henge": {"reduction": 0.7}})
    found = became(wanted)
    assert found.running == wanted
    assert found.taken == (
        "fraud: intent latency 2, utility 40 -> latency 1, utility 40",
        "fraud: min_slots 1 -> 2",
        "fraud: max_slots 4 -> 3",
        "settings of henge: none -> {'reduction': 0.7}",
        "price none -> 0.0500 EUR, for the whole run",
    )
    assert found.left == ()


def test_budgets_hours_and_excluded_periods_are_taken_over() -> None:
    by_day = {**FRAUD, "intent": {"latency": "2s", "utility": 40, "hours": {"from": "06:00", "to": "20:00"}}}
    lasting = {
        **by_day,
        "budget": {"keep": "99%"},
        "excluded": [{"from": "2026-11-02", "to": "2026-11-03", "why": "x"}],
    }
    wanted = a_file(lasting, AUDIT, excluded=[{"from": "2026-12-24", "to": "2026-12-25", "why": "the move"}])
    found = became(wanted)
    assert found.running == wanted
    assert found.taken == (
        "fraud: intent latency 2, utility 40 -> latency 2, utility 40, hours from 06:00 to 20:00 (UTC)",
        "fraud: budget none -> 99% of 5m windows over 28d",
        "fraud: excluded none -> 2026-11-02 to 2026-11-03 (x)",
        "excluded for all: none -> 2026-12-24 to 2026-12-25 (the move)",
    )
    assert found.left == ()
    assert became(a_file(), wanted).running.asked() == a_file().asked()


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        (
            a_file(master="local[8]"),
            "master local[*] -> local[8] takes effect after a restart: this run continues with local[*]",
        ),
        (a_file(interval="5s"), "interval 10s -> 5s takes effect after a restart: this run continues with 10s"),
        (a_file(FRAUD), "audit is gone from the file: its query runs on until this run ends"),
        (
            a_file(FRAUD, AUDIT, {**AUDIT, "name": "clicks"}),
            "clicks is new: it starts when the run is started again",
        ),
        (
            a_file({**FRAUD, "trigger": "5s"}, AUDIT),
            "fraud: trigger none -> 5s takes effect after a restart: this run continues with none; "
            "now: penstock control trigger fraud 5s",
        ),
        (
            a_file({**FRAUD, "approval": True}, AUDIT),
            "fraud: approval False -> True takes effect after a restart: this run continues with False",
        ),
    ],
)
def test_what_a_run_was_begun_with_goes_on_and_is_told(wanted: TenantsFile, left: str) -> None:
    assert became(wanted) == FileChanges(a_file(), (), (left,))


def test_one_field_that_waits_keeps_no_other_from_being_taken_over() -> None:
    found = became(a_file({**FRAUD, "max_slots": 2}, AUDIT, master="local[8]"))
    assert (found.running.jobs[0].max_slots, found.running.master) == (2, "local[*]")
    assert (len(found.taken), len(found.left)) == (1, 1)


def test_values_that_may_be_secrets_are_not_told() -> None:
    wanted = a_file({**FRAUD, "params": {"password": "hunter2"}}, AUDIT, conf={"spark.ssl.keyPassword": "hunter2"})
    found = became(wanted)
    assert not any("hunter2" in text for text in (*found.taken, *found.left))
    assert [text.split(" takes")[0] for text in found.left] == [
        "conf (spark.ssl.keyPassword)",
        "fraud: params (password)",
    ]


def test_an_executors_price_waits_where_the_run_does_not_know_its_slots() -> None:
    by_executor = {"price": {"executor_hour": 0.2}, "conf": {"spark.executor.cores": 4}}
    found = became(a_file(**by_executor))
    assert (found.taken, found.running.slot_price(), len(found.left)) == ((), None, 2)
    known = a_file(conf={"spark.executor.cores": 4})
    assert became(a_file(**by_executor), known).taken == ("price none -> 0.0500, for the whole run",)
