"""What came of the nemesis, portion by portion: a line for each run in a file, and the sum of them.

    python benchmarks/chaos_portions.py docs/results/chaos-portions.jsonl [--since 2026-11-27]     # make chaos-sum

200 faults take four hours, which need not be one after the other: each run is a portion of a seed's pairs, and keeps
its faults, rows and breaches with the commit that it was of. A pair that was drawn twice counts once, what was broken
counts whenever it was. Exit code 1 where something was.
"""

import argparse
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from chaos_history import RECOVERS_WITHIN_S, History, Law, Struck, recovered_s, wanted_share
from pydantic import TypeAdapter

FAULTS, SEEDS, HOURS = 200, 10, 4.0
# 3: utility in three rounds with new batches of all, strict acts, tables, links of broker and database. Portions of
# earlier laws have no number; their seeds drew other pairs.
LAW = 3
HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Asked:
    """Which pairs it was to draw, of which code, and when (UTC) it had; `only` are words of the faults drawn."""

    at: str
    commit: str
    seed: int
    skip: int = 0
    tenants: int = 8
    hosts: int = 2
    only: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two faults; `missed` are those that struck nobody, `back_s` when utility was back to what was `wanted`."""

    text: str
    missed: tuple[str, ...] = ()
    back_s: float | None = None
    wanted: float | None = None


@dataclass(frozen=True, slots=True)
class Portion:
    """What came of one run, from its first pair until utility was back after the last.

    `tried` is on how many things each law was tried, `broken` each breach in words; `law` is the number of all these
    laws and of what is drawn, `tables` what came of each re-routing.
    """

    asked: Asked
    pairs: tuple[Pair, ...]
    lasted_s: float
    rows: int
    lost: int
    doubled: int
    tried: Mapping[str, int]
    broken: Mapping[str, tuple[str, ...]]
    law: int = 0
    tables: tuple[str, ...] = ()


_PORTION: TypeAdapter[Portion] = TypeAdapter(Portion)


def portion_of(history: History, laws: Sequence[Law], asked: Asked) -> Portion:
    """The history, in short."""
    of_keys = [
        (rows.sent.get(key, 0), rows.read.get(key, 0)) for rows in history.rows for key in {*rows.sent, *rows.read}
    ]
    return Portion(
        asked,
        tuple(_pair(history, one) for one in history.struck),
        _lasted_s(history),
        rows=sum(sent for sent, _ in of_keys),
        lost=sum(max(0, sent - read) for sent, read in of_keys),
        doubled=sum(max(0, read - sent) for sent, read in of_keys),
        tried={law.name: law.tried for law in laws},
        broken={law.name: law.breaches for law in laws if law.breaches},
        law=LAW,
        tables=tuple(one.text for one in history.tables),
    )


def _pair(history: History, struck: Struck) -> Pair:
    return Pair(struck.text, tuple(struck.missed), recovered_s(history, struck), wanted_share(history, struck))


def _lasted_s(history: History) -> float:
    if not history.struck:
        return 0.0
    last = history.struck[-1]
    back_s = recovered_s(history, last)
    return last.to_s + (RECOVERS_WITHIN_S if back_s is None else back_s) - history.struck[0].from_s


def keep(portion: Portion, file: Path) -> None:
    """As a line at the end of the file."""
    with file.open("ab") as kept:
        kept.write(_PORTION.dump_json(portion) + b"\n")


def kept(file: Path, since: str = "") -> tuple[Portion, ...]:
    """Those of the file from that day on, in their order."""
    found = (_PORTION.validate_json(line) for line in file.read_bytes().splitlines() if line.strip())
    return tuple(portion for portion in found if portion.asked.at >= since)


def commit_here() -> str:
    """The commit of this code; with a plus where it has been changed since."""
    try:
        commit = _git("rev-parse", "--short=8", "HEAD")
        return f"{commit}+" if _git("status", "--porcelain", "-uno", "--", "src", "benchmarks") else commit
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(HERE.parent), *words], capture_output=True, text=True, check=True
    ).stdout.strip()


def told(portions: Sequence[Portion]) -> str:
    """The sum, as tables."""
    counted = _counted(portions)
    faults, strict = _struck(counted), _struck(_counted([one for one in portions if one.law == LAW]))
    seeds, hours = {portion.asked.seed for portion in portions}, sum(portion.lasted_s for portion in portions) / 3600.0
    days, commits = {portion.asked.at[:10] for portion in portions}, {portion.asked.commit for portion in portions}
    lines = [
        f"{faults} of {FAULTS} faults, {len(seeds)} of {SEEDS} seeds, in {hours:.1f} hours ({HOURS:g} were wanted):",
        f"Portions: {len(portions)}, days: {len(days)}, commits: {len(commits)}, pairs that differ: {len(counted)}, "
        f"faults in these that struck nobody: {sum(len(pair.missed) for pair in counted.values())}.",
        f"By the laws of today (number {LAW}): {strict} faults; {faults - strict} by earlier ones, which were weaker.",
        "",
        f"Rows: {sum(one.rows for one in portions):,} sent, {sum(one.lost for one in portions):,} lost, "
        f"{sum(one.doubled for one in portions):,} doubled.",
        "",
        "| law | tried on | breaches |",
        "|---|---|---|",
        *(f"| {law} | {tried:,} | {broken} |" for law, (tried, broken) in _by_law(portions).items()),
    ]
    breaches = [
        f"- {_whence(portion.asked)}: {law}: {text}"
        for portion in portions
        for law, texts in portion.broken.items()
        for text in texts[:5]
    ]
    return "\n".join([*lines, *([""] if breaches else []), *breaches])


def _struck(counted: Mapping[tuple[int, int, str, int, str], Pair]) -> int:
    return sum(2 - len(pair.missed) for pair in counted.values())


def _whence(asked: Asked) -> str:
    return f"seed {asked.seed} after {asked.skip} pairs ({asked.at}, {asked.commit})"


def _counted(portions: Sequence[Portion]) -> Mapping[tuple[int, int, str, int, str], Pair]:
    """The pairs, each once: of one that was drawn again the newest. Other faults are drawn where there is no root."""
    return {
        (portion.law, portion.asked.seed, portion.asked.only, portion.asked.skip + number, pair.text): pair
        for portion in portions
        for number, pair in enumerate(portion.pairs)
    }


def _by_law(portions: Sequence[Portion]) -> Mapping[str, tuple[int, int]]:
    names = dict.fromkeys(law for portion in portions for law in portion.tried)
    return {
        law: (
            sum(portion.tried.get(law, 0) for portion in portions),
            sum(len(portion.broken.get(law, ())) for portion in portions),
        )
        for law in names
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--since", default="", help="a day, such as 2026-11-27: portions before it are left out")
    options = parser.parse_args()
    if not options.file.exists():
        sys.exit(f"{options.file}: no portion is kept there yet; make chaos SEED=1")
    portions = kept(options.file, options.since)
    print(told(portions))
    sys.exit(1 if any(portion.broken for portion in portions) else 0)


if __name__ == "__main__":
    main()
