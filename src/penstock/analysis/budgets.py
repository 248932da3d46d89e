"""Budgets: each tenant's look goes into its ledger, and a budget that runs low raises what the tenant counts for.

What was asked is what the view has: nothing here knows what time it is.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from penstock.core.asked.budget import Budget, BudgetLedger, BudgetWindow, WindowLook, ledger_of
from penstock.core.asked.intent_hours import always, asked_share
from penstock.core.asked.intents import Intent, scaled
from penstock.core.seen.states import State, state_of
from penstock.core.seen.view import JobView, View

Ledgers = Mapping[str, BudgetLedger]  # by job

_SHARE_EVERY_S = 3600.0  # how much of its period something is asked in changes slowly

_LOOKS = {
    State.FINE: WindowLook.GOOD,
    State.MISSING: WindowLook.BAD,
    State.RESTING: WindowLook.IDLE,
}  # of the others nobody knows


def without_ledger(intents: Mapping[str, Intent], ledgers: Ledgers) -> dict[str, Budget]:
    """The budgets whose windows a store may know of, and nobody has asked it yet."""
    asked = {name: intent.budget for name, intent in intents.items() if intent.budget is not None}
    return {name: one for name, one in asked.items() if name not in ledgers or ledgers[name].asked != one}


def with_ledgers(
    ledgers: Ledgers, budgets: Mapping[str, Budget], windows: Mapping[str, Iterable[BudgetWindow]], at_epoch_s: float
) -> Ledgers:
    """The ledgers and those that begin now, from what a store kept of them."""
    begun = {name: ledger_of(asked, windows.get(name, ()), at_epoch_s) for name, asked in budgets.items()}
    return {**ledgers, **begun}


def budgeted(view: View, ledgers: Ledgers, at_epoch_s: float) -> tuple[View, Ledgers]:
    """The view with how each budget stands and what follows of it, and the ledgers after this look.

    A tenant whose budget runs low counts for more: its utilities are larger by `Spent.urgency`, and so are those that
    policies foretell of it, and what comes of decisions. Nothing else of the view changes.
    """
    if not any(job.intent.budget for job in view.jobs):
        return view, ledgers
    after = dict(ledgers)
    jobs = []
    for job in view.jobs:
        ledger = after.get(job.name)
        if job.intent.budget is None or ledger is None:
            jobs.append(job)
            continue
        after[job.name] = ledger = ledger.looked(at_epoch_s, _LOOKS.get(state_of(job), WindowLook.UNKNOWN))
        spent = ledger.spent(at_epoch_s, share_asked(job.intent, at_epoch_s))
        jobs.append(_pressed(replace(job, spent=spent, window=ledger.open)))
    utility, max_utility = sum(job.utility or 0.0 for job in jobs), sum(job.max_utility for job in jobs)
    return replace(view, jobs=tuple(jobs), utility=utility, max_utility=max_utility), after


def share_asked(intent: Intent, at_epoch_s: float) -> float:
    """The share of the budget's period in which something is asked of the tenant."""
    if intent.budget is None or always(intent):
        return 1.0
    until_s = math.ceil(at_epoch_s / _SHARE_EVERY_S) * _SHARE_EVERY_S
    return asked_share(intent, until_s - intent.budget.over_s, until_s)


def _pressed(job: JobView) -> JobView:
    factor = 1.0 if job.spent is None else job.spent.urgency
    if factor == 1.0 or job.intent.rests:
        return job
    utility = None if job.utility is None else job.utility * factor
    return replace(job, intent=scaled(job.intent, factor), utility=utility)
