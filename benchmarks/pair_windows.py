"""Windows of pairs from a CSV file of events, plain or gzipped, with columns t (seconds), k1 and k2."""

import csv
import gzip
import io
from collections import Counter
from pathlib import Path

from penstock.core.seen.pairs import Pair, PairCounts
from penstock.core.units import positive_seconds
from penstock.errors import ConfigError


def windows_of(path: Path, window: object, least_rows: int = 500) -> list[PairCounts]:
    """The pairs of each window, oldest window first; windows with fewer rows than `least_rows` are left out."""
    window_s = positive_seconds(window, "window")
    events = events_of(path)
    first_s = min((at_s for at_s, _ in events), default=0.0)
    windows: dict[int, Counter[Pair]] = {}
    for at_s, pair in events:
        windows.setdefault(int((at_s - first_s) // window_s), Counter())[pair] += 1
    found = [_exact(windows[number]) for number in sorted(windows) if windows[number].total() >= least_rows]
    if len(found) < 2:
        raise ConfigError("window", window, f"at least two windows must hold {least_rows} rows; choose another length")
    return found


def events_of(path: Path) -> list[tuple[float, Pair]]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    lines = csv.DictReader(io.StringIO(text, newline=""))
    # An empty field is a row without a key, which hashing routes.
    return [(float(line["t"]), (_key(line["k1"]), _key(line["k2"]))) for line in lines if line["k1"] and line["k2"]]


def _key(text: str) -> int | str:
    return int(text) if text.isdecimal() and str(int(text)) == text else text


def _exact(counts: Counter[Pair]) -> PairCounts:
    return PairCounts.exact({pair: float(rows) for pair, rows in counts.items()})
