"""Acts by which the nemesis floods a run: each for something that nobody had, so that what became of it can be told."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice

from chaos_record import RUN

from penstock.core.asked.intents import Intent, Latency
from penstock.core.asked.orders import Act, Request, Wish
from penstock.store.open import open_store

TURNS = 30
EVERY_S = 0.3
LATENCY_S = 15.0  # of each tenant's intent


def flood(store_url: str, tenants: Sequence[str], numbers: Iterator[int]) -> None:
    """Ask for all of it; each number is taken as it is asked for, so that a flood that is cut short repeats none."""
    with closing(open_store(store_url, create=False)) as store:

        def ask(request: Request) -> None:
            store.desk.ask(RUN, request)
            time.sleep(EVERY_S)

        ask(Request(Act.PAUSE, "nemesis", time.time()))
        ask(Request(Act.RESUME, "nemesis", time.time()))
        for number in islice(numbers, TURNS):
            turn = Wish("bound", tenants[number % len(tenants)], 4000 + number)
            ask(Request(Act.TURN, "nemesis", time.time(), turn=turn))
        number = next(numbers)
        tenant = tenants[number % len(tenants)]
        ask(Request(Act.INTENT, "nemesis", time.time(), tenant, _another(tenants, tenant, number)))


def worth(tenants: Sequence[str], tenant: str) -> float:
    """Of the first tenant's intent four times that of any other."""
    return 40.0 if tenant == tenants[0] else 10.0


def _another(tenants: Sequence[str], tenant: str, number: int) -> Intent:
    """An intent that is a little more generous than any before, and worth as much."""
    return Intent(Latency(LATENCY_S + number / 100.0, utility=worth(tenants, tenant)))
