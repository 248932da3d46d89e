"""The nemesis over a fleet: two coordinators as programs, PostgreSQL, agents, and a simulated cluster; no JVM.

    python benchmarks/chaos_fleet.py --seed 7 [--minutes 5] [--out docs/results/chaos.md]  # make chaos-fleet SEED=7

What is simulated is Spark; there are no rows to count. The other laws are those of `chaos`: who leads, what is
recorded, what became of acts, when utility was back; and those of a fleet, as its tests have them.
"""

import argparse
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path

from chaos_faults import FLEET, Fault, Kind, drawn
from chaos_history import History, Struck, judged, recovered_s
from chaos_postgres import Postgres
from chaos_record import Watched
from chaos_told import report
from chaos_world import AWAY_S, until_it_works
from fleet_world import of_one
from tests.governing.coordinators import Fleet, Program

from penstock.core.asked.orders import Act, Request
from penstock.errors import PenstockError
from penstock.store.open import open_store

RUN = "fleet-lab"
QUIET_S = 15.0
RECOVERS_WITHIN_S = 60.0
ACTS = 20


@dataclass(slots=True)
class Nemesis:
    """Two coordinators, what strikes them, and what was seen."""

    fleet: Fleet
    postgres: Postgres
    programs: list[Program] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def strike(self, fault: Fault) -> None:
        """Let it go wrong; over when this returns."""
        time.sleep(fault.after_s)
        try:
            if fault.kind is Kind.FLOOD:
                self._ask()
            elif fault.kind is Kind.SECOND:
                self._third(fault)
            elif fault.whom == "PostgreSQL":
                self._postgres(fault)
            else:
                self._coordinator(fault)
        except (OSError, PenstockError) as error:  # whom it was to strike is not there: the other one struck before
            print(f"{fault.text}: {error}", file=sys.stderr, flush=True)

    def look(self) -> None:
        """One that ended by itself is a breach."""
        for place, program in enumerate(self.programs):
            code = program.process.poll()
            if code is not None:
                self.wrong.append(f"a coordinator ended by itself with {code}: {program.said()[-300:]}")
                self.programs[place] = self.fleet.begin(program.port)

    def _coordinator(self, fault: Fault) -> None:
        leads = max(self.programs, key=lambda program: max(program.epochs(), default=0))
        struck = next(program for program in self.programs if (program is leads) is (fault.whom == "leader"))
        if fault.kind is Kind.STOP:
            struck.signal(signal.SIGSTOP)
            time.sleep(fault.length_s)
            struck.signal(signal.SIGCONT)
            return
        place = self.programs.index(struck)
        struck.kill()
        time.sleep(AWAY_S)
        self.programs[place] = self.fleet.begin(struck.port)

    def _postgres(self, fault: Fault) -> None:
        pids = self.postgres.pids
        if fault.kind is Kind.STOP:
            self.postgres.send(pids, signal.SIGSTOP)
            time.sleep(fault.length_s)
            self.postgres.send(pids, signal.SIGCONT)
            return
        self.postgres.send(pids, signal.SIGKILL)
        time.sleep(AWAY_S)
        until_it_works(self.postgres.revive)

    def _third(self, fault: Fault) -> None:
        """One more coordinator of the same fleet, for a while."""
        third = self.fleet.begin()
        time.sleep(fault.length_s)
        third.kill()

    def _ask(self) -> None:
        with closing(open_store(self.fleet.store, create=False)) as store:
            for number in range(ACTS):
                act = Act.RESUME if number % 2 else Act.PAUSE
                store.desk.ask(RUN, Request(act, "nemesis", time.time()))
                time.sleep(0.3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--place", type=Path, help="where logs go, and stay; else they are removed")
    parser.add_argument("--out", type=Path, help="the page that the result is added to, beside standard output")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(130))
    with ExitStack() as stack:
        place = options.place or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="penstock-chaos-")))
        place.mkdir(parents=True, exist_ok=True)
        postgres = Postgres(stack)
        nemesis = Nemesis(Fleet(place, stack, postgres.url), postgres)
        history = _struck(nemesis, options.seed, options.minutes * 60.0)
    laws = judged(history)
    text = report(
        history, laws, options.seed, f"{options.minutes:g} minutes", "two coordinators over a simulated cluster"
    )
    print(text)
    if options.out is not None:
        with options.out.open("a", encoding="utf-8") as page:
            page.write(f"\n{text}\n")
    sys.exit(1 if any(law.breaches for law in laws) else 0)


def _struck(nemesis: Nemesis, seed: int, seconds: float) -> History:
    fleet = nemesis.fleet
    nemesis.programs += [fleet.begin(), fleet.begin()]
    for one in (of_one("clicks", fleet.cluster, 150.0, wanted=3), of_one("fraud", fleet.cluster, 250.0)):
        fleet.governed(one, *(program.url for program in nemesis.programs))
    fleet.leader(nemesis.programs)
    watched, struck = Watched(fleet.store, RUN), list[Struck]()
    until_s = time.monotonic() + seconds
    _watch(nemesis, watched, QUIET_S)
    pairs = drawn(seed, FLEET)
    while time.monotonic() < until_s:
        struck.append(_pair(nemesis, watched, next(pairs)))
        _until_back(nemesis, watched, struck, until_s)
    _watch(nemesis, watched, QUIET_S)
    try:
        fleet.check()
    except AssertionError as error:
        nemesis.wrong.append(f"the fleet: {error}")
    return watched.history(struck, time.time(), tuple(nemesis.wrong))


def _watch(nemesis: Nemesis, watched: Watched, seconds: float) -> None:
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        watched.look()
        nemesis.look()
        time.sleep(0.5)


def _pair(nemesis: Nemesis, watched: Watched, pair: tuple[Fault, Fault]) -> Struck:
    text, began_s = " and ".join(fault.text for fault in pair), time.time()
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)
    threads = [threading.Thread(target=nemesis.strike, args=(fault,), daemon=True) for fault in pair]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        watched.look()
        time.sleep(0.5)
    return Struck(began_s, time.time(), text)


def _until_back(nemesis: Nemesis, watched: Watched, struck: Sequence[Struck], until_s: float) -> None:
    deadline = min(time.monotonic() + RECOVERS_WITHIN_S, until_s)
    while time.monotonic() < deadline:
        _watch(nemesis, watched, 2.0)
        if recovered_s(watched.history(struck, 0.0, ()), struck[-1]) is not None:
            return


if __name__ == "__main__":
    main()
