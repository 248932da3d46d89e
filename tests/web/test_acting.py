"""Acting through the API on a real loop."""

import threading
from pathlib import Path

from penstock.web.server import Site
from tests.patience import eventually
from tests.web import asking
from tests.web.living import LiveRun, living


def test_nobody_can_be_asked_about_a_run_that_is_over(site: Site) -> None:
    answer = asking.post(f"{site.url}api/control", json={"act": "pause"})
    assert (answer.status_code, "not governed by anybody" in answer.json()["message"]) == (409, True)


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


def test_what_makes_no_sense_is_refused_with_its_field(live: LiveRun) -> None:
    for body, said in (
        ({"act": "dance"}, "act: "),
        ({"act": "intent", "job": "reports"}, "give its intents"),
        ({"act": "intent", "job": "nobody", "intents": [{"juice": 0.5}]}, "name one of clicks, fraud, reports"),
        ({"act": "intent", "job": "reports", "intents": [{"juice": 7}]}, "juice"),
        ({"act": "approve", "proposal": 99}, "none waits now"),
    ):
        answer = live.act(**body)
        assert (answer.status_code in (404, 422), said in answer.json()["message"]) == (True, True), answer.text


def test_a_tenant_is_asked_and_its_yes_is_carried_out(tmp_path: Path) -> None:
    stop = threading.Event()
    with living(tmp_path, stop, approval=frozenset({"fraud", "clicks", "reports"})) as run:
        asked = run.until(lambda control: control["proposals"])["proposals"][0]
        assert run.get("decisions")["total"] == 0
        run.act(act="approve", proposal=asked["number"], who="ann")
        done = eventually(lambda: run.get("decisions")["decisions"])[-1]
        assert done["why"].endswith("approved by ann (127.0.0.1)")
        assert done["text"] == asked["text"].split(" ", 1)[1]
