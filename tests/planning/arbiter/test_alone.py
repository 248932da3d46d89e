"""Each job by itself: which turns are worth foretelling exactly."""

from dataclasses import replace

import numpy as np

from penstock.core.arrays import Floats
from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.planning.arbiter.alone import gains
from penstock.planning.arbiter.candidates import Settings, present
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.outcome import foretell
from penstock.planning.arbiter.search import search
from tests.planning.arbiter.fleets import fleet, job


def weights_of(one: Fleet, *weights: float) -> Settings:
    """An option for each of these weights, of every job."""
    return replace(present(one).times(len(weights)), weights=np.repeat(np.array(weights)[:, None], one.size, axis=1))


def thought_of(one: Fleet, options: Settings) -> Floats:
    """What each option of each job is thought to gain."""
    return gains(one, present(one), options, np.ones((len(options), one.size), dtype=bool), 40.0)


def crowded() -> Fleet:
    """Who is worth most lacks slots that three others keep busy."""
    others = [job(name, 200.0, intent=Intent(Juice(0.9, utility=10.0))) for name in ("a", "b", "c")]
    return fleet(*others, job("urgent", 150.0, target="2s", worth=40.0))


def many(jobs: int) -> Fleet:
    """One in four is urgent; together they want a fifth more than there are slots for."""
    return fleet(
        *(
            job(f"job-{place}", 60.0, intent=Intent(Latency("2s", utility=40.0) if place % 4 == 0 else Juice(0.9)))
            for place in range(jobs)
        ),
        slots=jobs // 2,
        cores=jobs // 2,
    )


def test_levers_that_stay_as_they_are_gain_nothing() -> None:
    one = crowded()
    assert np.allclose(thought_of(one, weights_of(one, 1.0)), 0.0)


def test_more_slots_are_thought_best_for_whom_they_are_best() -> None:
    one = crowded()
    thought = thought_of(one, weights_of(one, 3.0))[0]
    turned = present(one).times(one.size)
    turned.weights[np.arange(one.size), np.arange(one.size)] = 3.0
    foretold = foretell(one, turned, 40.0).total
    assert np.argmax(thought) == np.argmax(foretold) == one.names.index("urgent")


def test_slots_of_which_some_are_always_left_cost_nobody_anything() -> None:
    idle = fleet(job("a", 5.0), job("b", 5.0))
    assert np.allclose(thought_of(idle, weights_of(idle, 2.0, 4.0)), 0.0, atol=1e-6)


def test_a_large_fleet_gets_about_what_a_small_one_of_such_jobs_gets() -> None:
    shares = []
    for jobs in (20, 400):
        one = many(jobs)
        found = search(one)
        assert float(found.outcome.total[0] - found.now.total[0]) > 0.1 * one.max_utility
        shares.append(float(found.outcome.total[0]) / one.max_utility)
    assert shares[1] > shares[0] - 0.05
