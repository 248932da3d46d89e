"""A recorded run whose controller does nothing but listen."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread

from penstock.store.control import DeskControl, Standing
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from tests.patience import patience_s
from tests.recorded import RUN, a_cycle, a_judging_cycle, an_acting_cycle

STANDING = Standing(interval_s=patience_s())  # its sign of life holds for three intervals, however busy the machine is


def recorded(place: Path) -> Path:
    """Three cycles."""
    path = place / "runs.sqlite"
    with closing(open_store(path)) as store:
        store.begin(RUN)
        for cycle in (a_cycle(10.0), an_acting_cycle(20.0), a_judging_cycle(30.0, 20.0)):
            store.append(cycle)
    return path


@contextmanager
def controlled(path: Path) -> Iterator[SqlStore]:
    """The store, as long as somebody hears what is asked."""
    stop = Event()

    def listen() -> None:
        with closing(open_store(path)) as store:
            heard = DeskControl(store.desk, RUN.id, STANDING)
            while not stop.wait(0.02):
                heard.orders(10.0)

    thread = Thread(target=listen)
    with closing(open_store(path)) as store:
        DeskControl(store.desk, RUN.id, STANDING).orders(0.0)
        thread.start()
        try:
            yield store
        finally:
            stop.set()
            thread.join()
