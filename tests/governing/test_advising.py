"""When advice on a fleet is told."""

from penstock.core.asked.price import Price
from penstock.governing.advising import Advising
from tests.planning.executors.many import round_of


def test_advice_comes_after_a_minute_and_then_ever_less_often() -> None:
    said: list[str] = []
    advising = Advising(Price(0.05, "EUR"), said.append)
    told_at = []
    for at_s in range(0, 1000, 10):
        before = len(said)
        advising(round_of(float(at_s)))
        told_at += [at_s] * (len(said) - before)
    assert told_at == [60, 180, 420, 900]
    assert said[0].startswith("advice: of 18 cores held on average over 60 s 6.0 were not needed (219.00 EUR a month)")
