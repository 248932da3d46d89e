"""On Spark's engine, too, an error does not end governing; being taken over does. Here it is on the fake."""

import pytest

import penstock as ps
from penstock.core.plan import Plan
from penstock.core.seen.view import View
from penstock.engines.spark.fake import FakeSpark
from penstock.errors import LeaseLostError
from penstock.running.tending import Tending
from penstock.store.memory import MemoryStore
from tests.patience import eventually

INTENT = ps.Intent(ps.Juice(0.9))


class Stumbling:
    """Fails in its second round only."""

    name = "stumbling"

    def __init__(self) -> None:
        self.rounds = 0

    def start(self) -> int:
        return 0

    def decide(self, view: View, memory: int) -> tuple[Plan, int]:
        self.rounds += 1
        if self.rounds == 2:
            raise ZeroDivisionError("a defect of the policy")
        return Plan(), memory + 1


def test_a_policy_that_fails_once_goes_on_governing() -> None:
    policy, store = Stumbling(), MemoryStore()
    with ps.govern(FakeSpark(), {"ads": INTENT}, policy, store=store, interval=0.2) as g:
        eventually(lambda: policy.rounds > 3 or None)
    assert g.error is None
    (failed,) = [note.text for note in store.read_run("fake").errors if note.text.startswith("deciding")]
    assert failed == (
        "deciding failed: ZeroDivisionError: a defect of the policy; nothing was decided; the next round is in 0.2 s"
    )


def test_a_controller_that_is_taken_over_ends_and_says_so() -> None:
    spark = FakeSpark()
    with ps.govern(spark, {"ads": INTENT}, Stumbling(), store=None, interval=0.2) as g:
        eventually(lambda: g.views or None)
        spark.taken_over()
        g.wait()
    assert isinstance(g.error, LeaseLostError)


def test_an_error_between_rounds_is_told_once() -> None:
    def tend() -> None:
        raise ConnectionError("no answer")

    tending = Tending(tend)
    tending()
    tending()
    assert [tending.troubles() for _ in range(2)] == [
        ("work between rounds failed and is retried: ConnectionError: no answer",),
        (),
    ]


def test_a_lease_that_is_lost_between_rounds_ends_governing() -> None:
    def tend() -> None:
        raise LeaseLostError("another controller took this application over")

    with pytest.raises(LeaseLostError):
        Tending(tend)()
