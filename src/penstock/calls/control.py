"""Asking a running controller for something: `penstock control` as calls. Who asks is kept with what and when."""

import time
from collections.abc import Sequence
from typing import Any

from penstock.calls.opening import StorePlace, opened
from penstock.config.intents import IntentPart
from penstock.config.problems import checked
from penstock.core.asked.orders import Act
from penstock.core.levers import Dial
from penstock.errors import ConfigError, EngineError, choose
from penstock.store.gallery import Gallery
from penstock.store.sql import SqlStore
from penstock.web.acting import ActIn, ask, this_user

_HEARD_WITHIN_S = 60.0
_LOOK_S = 0.2


def control(
    act: str,
    job: str | None = None,
    *,
    run: str = "last",
    store: StorePlace = None,
    proposal: int | None = None,
    lever: str | None = None,
    value: float | None = None,
    operator: str | None = None,
    **intent: Any,
) -> str:
    """Ask the controller of a run, and wait until it has heard; the run's id.

    control("pause"), control("resume"), control("dry-run"), control("do")
    control("intent", "fraud", latency="1s", percentile=95, utility=40)
    control("approve", proposal=3), control("refuse", proposal=4)
    control("turn", "fraud", lever="bound", value=2000)
    """
    known = {one.value: one for one in Act}
    if act not in known:
        raise ConfigError("act", act, choose(act, known))
    about: dict[str, Any] = {"job": job, "proposal": proposal, "operator": operator}
    about = {name: given for name, given in about.items() if given is not None}
    if intent:
        about["intents"] = (checked(IntentPart, intent, "intent"),)
    if lever is not None:
        about |= {"kind": lever, "value": value}
    return asked(store, run, {"act": act, **about}, "Python")


def levers(run: str = "last", store: StorePlace = None) -> Sequence[Dial]:
    """How every lever of a run stood in its newest cycle."""
    with opened(store, run) as (there, run_id):
        newest = Gallery(there.database, run_id).newest()
    if newest is None:
        raise ConfigError("run", run_id, "no cycle of it is recorded yet")
    return newest.view.dials


def asked(store: StorePlace, run: str, request: dict[str, Any], where: str) -> str:
    """Leave a request on the controller's desk and wait until it is taken up; the run's id."""
    wanted = checked(ActIn, request, "request")
    with opened(store, run) as (there, run_id):
        number = ask(there, run_id, wanted, f"{this_user()} ({where})")
        _wait(there, run_id, number)
    return run_id


def _wait(store: SqlStore, run_id: str, number: int) -> None:
    """Until the controller has taken it up: who asks wants to know."""
    until_s = time.monotonic() + _HEARD_WITHIN_S
    while time.monotonic() < until_s:
        if any(found.taken_at_s is not None for found in store.desk.filed(run_id, number - 1)[:1]):
            return
        time.sleep(_LOOK_S)
    raise EngineError(f"the controller of {run_id} has not heard it within {_HEARD_WITHIN_S:.0f} s; it is on its desk")
