"""Profiles as files: CSV with a header, one observation in each row.

scaleout,rate_rps,latency_s,saturated
2,19964.9,1.0777,0
2,36521.8,,1
"""

import csv
from collections.abc import Iterable
from pathlib import Path

from penstock.config.document import read_text
from penstock.core.seen.evidence import Observation
from penstock.errors import ConfigError

_MOST_BYTES = 1 << 24  # an observation takes 30
_MOST_LINES = 100_000  # which take a second; a profile has tens
_MOST_SCALEOUT = 100_000  # as of an application in a fleet
_MOST_RPS = 1e18  # as an agent may report: sums and squares stay numbers
COLUMNS = ("scaleout", "rate_rps", "latency_s", "saturated")


def read_profile(path: Path, field: str = "profile") -> tuple[Observation, ...]:
    """The observations in that file."""
    lines = read_text(path, field, _MOST_BYTES).splitlines()
    if len(lines) > _MOST_LINES:
        raise ConfigError(
            field, str(path), f"give at most {_MOST_LINES:,} lines, the newest ones; it has {len(lines):,}"
        )
    try:
        reader = csv.DictReader(lines)
        rows = list(reader)
    except csv.Error as error:
        raise ConfigError(field, str(path), f"write CSV, a line for each observation ({error})") from None
    if not rows or not set(COLUMNS) <= set(rows[0]):
        raise ConfigError(field, str(path), f"it needs rows, and a header with {', '.join(COLUMNS)}")
    names = reader.fieldnames or ()
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigError(field, str(path), f"give each column its own name; twice there: {', '.join(twice)}")
    return tuple(_observation(row, f"{field}: {path.name} row {number}") for number, row in enumerate(rows, start=2))


def write_profile(path: Path, evidence: Iterable[Observation]) -> None:
    """The observations as such a file."""
    lines = [",".join(COLUMNS)]
    for seen in evidence:
        latency = "" if seen.latency_s is None else f"{seen.latency_s:.4f}"
        lines.append(f"{seen.scaleout},{seen.rate_rps:.1f},{latency},{int(seen.saturated)}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _observation(row: dict[str, str], field: str) -> Observation:
    try:
        latency = row["latency_s"].strip()
        seen = Observation(
            scaleout=int(row["scaleout"]),
            rate_rps=float(row["rate_rps"]),
            latency_s=float(latency) if latency else None,
            saturated=_truth(row["saturated"]),
        )
    except (ValueError, OverflowError, AttributeError, TypeError) as error:
        raise ConfigError(field, row, f"write numbers; latency_s may be empty ({error})") from None
    except ConfigError as error:
        raise ConfigError(f"{field}: {error.field}", error.value, error.remedy) from None
    if seen.scaleout > _MOST_SCALEOUT:
        raise ConfigError(f"{field}: scaleout", seen.scaleout, f"write {_MOST_SCALEOUT:,} or less")
    if max(seen.rate_rps, seen.latency_s or 0.0) > _MOST_RPS:
        raise ConfigError(field, row, f"write rates and latencies up to {_MOST_RPS:g}")
    return seen


def _truth(text: str) -> bool:
    if text.strip() not in ("0", "1"):
        raise ConfigError("saturated", text, "write 0, or 1 where the job had more to do than it could")
    return text.strip() == "1"
