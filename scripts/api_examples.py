"""Asks the API for an example of each answer and writes them beside the code that describes it, cut short.

python scripts/api_examples.py     after a change of what the API answers: src/penstock/web/examples.json

They are answers of a site over a simulated run in which a tenant is late, is helped, and somebody asks for more.
"""

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx

from penstock.config.problems import checked
from penstock.core.asked.intents import Intent, Juice
from penstock.core.asked.orders import Act, Request
from penstock.core.levers import Slots
from penstock.core.plan import Decision, Reason
from penstock.core.run import RunInfo
from penstock.loop import LoopSettings
from penstock.running.session import Session, decider
from penstock.running.sim_clock import SimClock
from penstock.simulation.jobs import intents_of
from penstock.simulation.run import cluster_of
from penstock.simulation.schema import ScenarioFile
from penstock.store.cards import Card
from penstock.store.control import DeskControl, Standing
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.web.openapi import EXAMPLES
from penstock.web.server import Site
from penstock.web.settings import WebSettings
from penstock.web.tokens import tokens_at

MOST = 2  # entries of each list: enough to see what they are like
LASTS_S = 400
RUN_ID = "nightly-1"
BATCH = {
    "stages": {"work": {"partitions": 8, "wait": "10ms", "task_overhead": "5ms"}},
    "max_rows_per_batch": 400,
    "trigger": "0s",
    "threads": 2,
}
SHOP = {
    "name": "nightly",
    "engine": "micro-batch",
    "seed": 1,
    "duration": LASTS_S,
    "interval": "5s",
    "settings": {"henge": {"quiet_at_most_s": 10.0}},
    "cluster": {"machines": 2, "cores": 4, "slots": 8},
    "jobs": [
        {"name": "fraud", "rate": 300, "intent": {"latency": "2s", "percentile": 95, "utility": 40}, "batch": BATCH},
        {"name": "clicks", "rate": 380, "intent": {"juice": 0.9, "utility": 10}, "batch": BATCH},
        {"name": "reports", "rate": 420, "intent": {"juice": 0.4, "utility": 10}, "batch": BATCH},
    ],
}
ASKED = {
    "GET /api/job": {"job": "fraud", "points": 10},
    "GET /api/incident": {"job": "fraud"},
    "GET /api/compare": {"a": "last", "b": "last"},
    "GET /api/remedies": {"job": "fraud"},
    "GET /api/without": {"decision": 1},
    "GET /api/overview": {"points": 10},
    "GET /api/cluster": {"points": 10},
}
SENT = {"POST /api/control": {"act": "pause", "who": "ann"}, "POST /api/what-if": {"minutes": 1, "slots": 16}}
AS_WORDS = ("/metrics", "/api/decisions.csv")
LINES = 12  # of what is words


def main() -> None:
    """Record, ask, cut short, write."""
    with tempfile.TemporaryDirectory() as place, served(Path(place)) as (url, token):
        described = httpx.get(f"{url}api/openapi.json").json()["paths"]
        found = {
            f"{method.upper()} {path}": asked(url, method, path, token)
            for path, operations in described.items()
            for method in operations
        }
    EXAMPLES.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{EXAMPLES}: {len(found)} examples, {EXAMPLES.stat().st_size} bytes")


@contextmanager
def served(place: Path) -> Iterator[tuple[str, str]]:
    """A site over a run that seems to live, and a token for it."""
    _, shown = tokens_at(place / "tokens.json", make=True)
    assert shown is not None
    with closing(open_store(place / "runs.sqlite")) as store:
        record(store)
        settings = WebSettings(port=0, tokens=place / "tokens.json", whatif_s=30.0)
        with Site(store, settings, print).beside() as site:
            give_a_sign(store)
            httpx.get(f"{site.url}api/control").raise_for_status()  # one alone proves nothing; the next one does
            give_a_sign(store)
            yield site.url, shown.read


def record(store: SqlStore) -> None:
    """The run, with a request that was heard and a proposal that waits."""
    scenario = checked(ScenarioFile, SHOP, "shop")
    run = store.begin(RunInfo(RUN_ID, "nightly", "henge", "simulator", "simulated", 1_763_683_200.0))
    control = DeskControl(store.desk, run.id, Standing(scenario.interval), lambda: 1_763_683_200.0)
    control.arrive()
    store.desk.ask(run.id, Request(Act.INTENT, "ann", 1_763_683_201.0, "clicks", Intent(Juice(0.8, utility=10))))
    cluster = cluster_of(scenario, Path(), scenario.seed, run.policy)
    policy = decider(run.policy, scenario.settings.get(run.policy))
    intents = intents_of(scenario)
    session = Session(lambda: intents, policy, store, LoopSettings(scenario.interval), control, LASTS_S)
    session.live_through(cluster, SimClock(cluster.advance_to))
    moves = (Slots("fraud", 4, 5),)
    store.desk.propose(run.id, Decision(Reason.RECONFIGURED, moves, "fraud misses its latency", LASTS_S, 41.0, 48.0))


def give_a_sign(store: SqlStore) -> None:
    """As its controller does in each round."""
    store.desk.leave_card(RUN_ID, Card(time.time(), LASTS_S, interval_s=3_600.0, approval=("fraud",)))


def asked(url: str, method: str, path: str, token: str) -> Any:
    """One answer, cut short."""
    name = f"{method.upper()} {path}"
    if path == "/api/live":
        return news(url)
    sent = {"token": token} if name == "POST /api/session" else SENT.get(name)
    given: Any = ASKED.get(name)
    answer = httpx.request(method, f"{url}{path.lstrip('/')}", params=given, json=sent, timeout=120.0)
    assert answer.is_success, f"{name}: {answer.text}"
    if path in AS_WORDS:
        return "\n".join(answer.text.splitlines()[:LINES]) + "\n"
    return short(answer.json())


def news(url: str) -> str:
    """The first event of the feed."""
    with httpx.stream("GET", f"{url}api/live", timeout=30.0) as answer:
        data = next(line for line in answer.iter_lines() if line.startswith("data: "))
    body = short(json.loads(data.removeprefix("data: ")))
    return f"event: news\ndata: {json.dumps(body, separators=(',', ':'))}\n\n"


def short(value: Any) -> Any:
    """With as many entries of each list as show what it is like."""
    if isinstance(value, list):
        return [short(one) for one in value[:MOST]]
    return {name: short(one) for name, one in value.items()} if isinstance(value, dict) else value


if __name__ == "__main__":
    main()
