"""Acting through the API on a real loop."""

import threading
from pathlib import Path
from typing import Any

import pytest

from penstock.web.server import Site
from tests.patience import eventually
from tests.web import asking
from tests.web.living import LiveRun, living

pytestmark = pytest.mark.sockets


def test_nobody_can_be_asked_about_a_run_that_is_over(site: Site) -> None:
    answer = asking.post(f"{site.url}api/control", json={"act": "pause"})
    assert (answer.status_code, "has no running controller" in answer.json()["message"]) == (409, True)


def test_pausing_stops_decisions_until_governing_is_resumed_and_is_in_the_audit_log(live: LiveRun) -> None:
    assert live.act(act="pause", who="ann").status_code == 200
    paused = live.until(lambda control: control["paused_by"])
    assert paused["paused_by"] == "ann (127.0.0.1)"
    eventually(lambda: "paused by ann" in live.get("overview")["present"]["note"])
    live.act(act="resume", who="bob")
    live.until(lambda control: control["paused_by"] is None)
    newest = live.get("audit")[:2]
    assert [(entry["act"], entry["who"]) for entry in newest] == [
        ("resume", "bob (127.0.0.1)"),
        ("pause", "ann (127.0.0.1)"),
    ]


def test_who_acts_cannot_write_a_line_of_the_audit_log(live: LiveRun) -> None:
    live.act(act="do", who="eve\n12:00 ann: approve\x1b[1A")
    newest = live.get("audit")[0]
    assert newest["who"] == r"eve\n12:00 ann: approve\x1b[1A (127.0.0.1)"


def test_a_dry_run_can_be_begun_and_ended(live: LiveRun) -> None:
    live.act(act="dry-run")
    live.until(lambda control: control["dry_run"])
    live.act(act="do")
    live.until(lambda control: not control["dry_run"])


def test_a_changed_intent_is_what_the_page_shows_next(live: LiveRun) -> None:
    def reports() -> str:
        tenants = live.get("overview")["present"]["tenants"]
        return next(str(tenant["intent"]) for tenant in tenants if tenant["name"] == "reports")

    answer = live.act(act="intent", job="reports", intents=[{"juice": 0.3, "utility": 5}])
    assert answer.status_code == 200
    eventually(lambda: reports() == "juice >= 0.3")


def decided(live: LiveRun, who: str) -> Any:
    """The newest decision that this person asked for."""
    found = live.get("decisions", words=f"asked by {who}")["decisions"]
    return found[0] if found else None


def test_a_lever_of_a_tenant_is_turned_on_request_and_shows_how_it_stands(live: LiveRun) -> None:
    assert live.act(act="turn", kind="bound", job="reports", value=300, who="eve").status_code == 200
    done = eventually(lambda: decided(live, "eve"))
    assert (done["reason"], done["text"]) == ("Asked", "reports: batch bound 400 -> 300 rows")
    assert done["why"] == "asked by eve (127.0.0.1)"

    def bound() -> Any:
        tenants = live.get("overview")["present"]["tenants"]
        levers = next(tenant["levers"] for tenant in tenants if tenant["name"] == "reports")
        return next(lever for lever in levers if lever["kind"] == "bound")

    eventually(lambda: bound()["now"] == 300)
    assert (bound()["now_text"], bound()["limits"], bound()["shows"]) == (
        "300 rows",
        "1 row or more",
        "with the next batch",
    )


def test_a_lever_of_the_application_is_turned_on_request(live: LiveRun) -> None:
    levers = live.get("cluster")["present"]["levers"]
    (lever,) = [lever for lever in levers if lever["kind"] == "executors"]
    assert (lever["name"], lever["now_text"], lever["limits"]) == ("executors", "2", "1 to 2")
    assert live.act(act="turn", kind="executors", value=1, who="fay").status_code == 200
    assert eventually(lambda: decided(live, "fay"))["jobs"] == ["(application)"]
    live.act(act="turn", kind="executors", value=2, who="gus")
    assert eventually(lambda: decided(live, "gus"))["text"] == "(application): executors 1 -> 2"


def test_what_makes_no_sense_is_refused_with_its_field(live: LiveRun) -> None:
    for body, said in (
        ({"act": "dance"}, "act: "),
        ({"act": "intent", "job": "reports"}, "give its intents"),
        ({"act": "intent", "job": "nobody", "intents": [{"juice": 0.5}]}, "name one of clicks, fraud, reports"),
        ({"act": "intent", "job": "reports", "intents": [{"juice": 7}]}, "juice"),
        ({"act": "intent", "job": "reports", "intents": [{"juice": 0.5, "utility": 1e308}]}, "utility"),
        ({"act": "intent", "job": "reports", "intents": [{"juice": 0.5, "utility": -1}]}, "utility"),
        ({"act": "start"}, "say which job"),
        ({"act": "start", "job": "nobody"}, "name one of clicks, fraud, reports"),
        ({"act": "approve", "proposal": 99}, "none waits now"),
        ({"act": "turn", "value": 3}, "say which kind of lever and its value"),
        ({"act": "turn", "kind": "bound", "job": "reports"}, "say which kind of lever and its value"),
        ({"act": "turn", "kind": "speed", "value": 3}, "kind: 'speed' cannot be used; write 'slots'"),
        ({"act": "turn", "kind": "bound", "job": "nobody", "value": 3}, "name one of clicks, fraud, reports"),
        ({"act": "turn", "kind": "table", "value": 2}, "the application has executors, memory"),
        ({"act": "turn", "kind": "bound", "job": "reports", "value": 0}, "can be 1 row or more, or none"),
        ({"act": "turn", "kind": "bound", "job": "reports", "value": -5}, "value: -5 cannot be used; write 0 or more"),
        ({"act": "turn", "kind": "executors", "value": None}, "value: missing; executors of the application"),
    ):
        answer = live.act(**body)
        assert (answer.status_code in (404, 422), said in answer.json()["message"]) == (True, True), answer.text


@pytest.mark.parametrize("utility", ["NaN", "Infinity", "1e999", "1e308"])
def test_a_utility_that_is_no_number_or_cannot_be_added_up_is_refused(live: LiveRun, utility: str) -> None:
    body = f'{{"act": "intent", "job": "reports", "intents": [{{"juice": 0.5, "utility": {utility}}}]}}'
    answer = asking.post(f"{live.url}api/control", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, "utility" in answer.json()["message"]) == (422, True), answer.text


def test_a_tenant_is_asked_and_its_yes_is_carried_out(tmp_path: Path) -> None:
    stop = threading.Event()
    with living(tmp_path, stop, approval=frozenset({"fraud", "clicks", "reports"})) as run:
        asked = run.until(lambda control: control["proposals"])["proposals"][0]
        assert run.get("decisions")["total"] == 0
        run.act(act="approve", proposal=asked["number"], who="ann")
        done = eventually(lambda: run.get("decisions")["decisions"])[-1]
        assert done["why"].endswith("approved by ann (127.0.0.1)")
        assert done["text"] == asked["text"].split(" ", 1)[1]
