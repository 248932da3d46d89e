"""Profiles as files: CSV with a header, one observation in each row.

scaleout,rate_rps,latency_s,saturated
2,19964.9,1.0777,0
2,36521.8,,1
"""

import csv
from collections.abc import Iterable
from pathlib import Path

from penstock.config.document import read_text
from penstock.core.evidence import Observation
from penstock.errors import ConfigError

_MOST_BYTES = 1 << 24  # an observation takes 30
COLUMNS = ("scaleout", "rate_rps", "latency_s", "saturated")


def read_profile(path: Path, field: str = "profile") -> tuple[Observation, ...]:
    """The observations in that file."""
    lines = read_text(path, field, _MOST_BYTES).splitlines()
    try:
        rows = list(csv.DictReader(lines))
    except csv.Error as error:
        raise ConfigError(field, str(path), f"write CSV, a line for each observation ({error})") from None
    if not rows or not set(COLUMNS) <= set(rows[0]):
        raise ConfigError(field, str(path), f"it needs rows, and a header with {', '.join(COLUMNS)}")
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
        return Observation(
            scaleout=int(row["scaleout"]),
            rate_rps=float(row["rate_rps"]),
            latency_s=float(latency) if latency else None,
            saturated=bool(int(row["saturated"])),
        )
    except (ValueError, OverflowError, AttributeError, TypeError) as error:
        raise ConfigError(field, row, f"write numbers; latency_s may be empty ({error})") from None
    except ConfigError as error:
        raise ConfigError(f"{field}: {error.field}", error.value, error.remedy) from None
