"""What tenants cost: the slots that they held, at the price of the file; nothing where no price is given."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from penstock.core.asked.price import Price
from penstock.core.run import JobTimeline, Run
from penstock.core.seen.shares import slot_share

NAMED = 3
OUTAGE = 5.0  # so many usual intervals without a cycle are an outage, of which nobody knows who held what


@dataclass(frozen=True, slots=True)
class Spent:
    """What one tenant held and cost over a run, and how much of it while it was seen to miss its intent."""

    name: str
    slot_h: float
    missed_slot_h: float
    missed_s: float
    price: Price

    @property
    def cost(self) -> float:
        """All of it."""
        return self.slot_h * self.price.slot_hour

    @property
    def missed_cost(self) -> float:
        """What was paid for slots that did not do what they were for."""
        return self.missed_slot_h * self.price.slot_hour


def spent(run: Run) -> tuple[Spent, ...]:
    """What each tenant cost; empty where the run has no price."""
    price = run.info.price
    if price is None:
        return ()
    lengths = _lengths(run.at_s)
    return tuple(_of_job(run, job, lengths, price) for job in run.jobs)


def spent_text(found: Sequence[Spent]) -> Iterable[str]:
    """In a sentence, those that cost most first.

    >>> price = Price(0.5, "EUR")
    >>> print(*spent_text([Spent("ads", 4.0, 1.0, 900.0, price), Spent("geo", 2.0, 0.0, 0.0, price)]))
    The slots cost 3.00 EUR (0.50 EUR an hour of each): ads 2.00 EUR, 0.50 EUR of it while it missed; geo 1.00 EUR.
    """
    if not found:
        return
    price, total = found[0].price, sum(one.cost for one in found)
    ranked = sorted(found, key=lambda one: (-one.cost, one.name))
    told = "; ".join(_told(one) for one in ranked[:NAMED])
    more = f"; {len(ranked) - NAMED} more the rest" if len(ranked) > NAMED else ""
    yield f"The slots cost {price.text(total)} ({price.text(price.slot_hour)} an hour of each): {told}{more}."


def _told(one: Spent) -> str:
    vain = f", {one.price.text(one.missed_cost)} of it while it missed" if one.missed_s > 0 else ""
    return f"{one.name} {one.price.text(one.cost)}{vain}"


def _of_job(run: Run, job: JobTimeline, lengths: Sequence[float], price: Price) -> Spent:
    held = [_slots(run, job, place) for place in range(len(lengths))]
    hours = [slots * length / 3600 for slots, length in zip(held, lengths, strict=True)]
    missed = [met is False for met in job.met[: len(lengths)]]
    return Spent(
        name=job.name,
        slot_h=sum(hours),
        missed_slot_h=sum(hour for hour, miss in zip(hours, missed, strict=True) if miss),
        missed_s=sum(length for length, miss in zip(lengths, missed, strict=True) if miss),
        price=price,
    )


def _slots(run: Run, job: JobTimeline, place: int) -> float:
    """Its threads, or what they stood for then as a weight beside those of the others."""
    threads = job.threads[place] or 0
    if run.pool.slots is None or job.name not in run.pool.weights or not threads:
        return float(threads)
    weights = sum(other.threads[place] or 0 for other in run.jobs if other.name in run.pool.weights)
    return slot_share(threads, weights, run.pool.slots)


def _lengths(at_s: Sequence[float]) -> list[float]:
    found = [later - now for now, later in pairwise(at_s)]
    usual = sorted(found)[len(found) // 2] if found else 0.0
    return [length if length <= OUTAGE * usual else usual for length in found]
