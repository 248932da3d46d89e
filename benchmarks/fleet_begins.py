"""Fleets that begin cold, drawn by a seed and simulated: what is lost until costs are known, and who divides best?

    python benchmarks/fleet_begins.py --fleets 20 [--first 0] [--ways penstock listed equal hand] [--slow]

Four to six applications begin one after the other on one cluster, each with one executor; in its first minute code is
cold, rows that came before wait, and a driver plans for long. In the middle third of what counts a spike comes to one.
`listed` is penstock with all of them, and what each is worth, in the fleet's file. `--slow` draws other fleets: five to
eight that begin over a minute on two busy cores, where a JVM starts in 6 to 30 s, first batches hold minutes of rows
and who gives takes until its batch has ended, 35 s at most.
`hand` is the best division for good, of someone who knows all that will come: every number was tried out with each.
Three shares of all utility are told: of the minute after the last one has begun, of the two minutes that count after
it, and of these from the spike's end on. Nobody waits: a fleet takes 4 to 10 s of CPU.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from statistics import mean

from cold_divided import coordinated, divided_by, equal, of_a_person
from cold_fleet import WARM_S, ColdFleet, drawn_fleet
from cold_life import FleetRecord

Shares = tuple[float, float, float]

WAYS: Mapping[str, Callable[[ColdFleet], FleetRecord]] = {
    "penstock": coordinated,
    "listed": lambda fleet: coordinated(fleet, listed=True),
    "equal": lambda fleet: divided_by(fleet, equal(fleet)),
    "hand": lambda fleet: divided_by(fleet, of_a_person(fleet)),
}


def shares(fleet: ColdFleet, record: FleetRecord) -> Shares:
    """At the beginning, counted, and from the spike's end on."""
    counts_s = fleet.counts_from_s
    return record.share(counts_s - WARM_S, counts_s), record.share(counts_s), record.share(fleet.spike_s[1])


def told(found: Sequence[Shares]) -> str:
    """The means, and the range of each."""
    return "   ".join(
        f"{mean(column):.3f} ({min(column):.2f} to {max(column):.2f})" for column in zip(*found, strict=True)
    )


def main() -> None:
    """Print what came, fleet by fleet, and in all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fleets", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--slow", action="store_true", help="on a machine that starts them over a minute")
    given = parser.parse_args()
    found: dict[str, list[Shares]] = {way: [] for way in given.ways}
    for seed in range(given.first, given.first + given.fleets):
        fleet = drawn_fleet(seed, given.slow)
        for way in given.ways:
            found[way].append(shares(fleet, WAYS[way](fleet)))
        line = "   ".join(f"{way} {' '.join(f'{share:.3f}' for share in found[way][-1])}" for way in given.ways)
        print(f"{seed}: {len(fleet.applications)} on {fleet.slots}   {line}", flush=True)
    for way in given.ways:
        print(f"{way}: beginning, counted, after the spike: {told(found[way])}")


if __name__ == "__main__":
    main()
