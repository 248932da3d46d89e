"""Pairs from a CSV file, plain or gzipped: counted already, or a row for each event."""

import csv
import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from penstock.core.seen.pairs import Pair, PairCounts, Part
from penstock.errors import ConfigError

ROWS = "rows"
_TOLD_EVERY = 10_000
_MOST_DIGITS = 15  # of a number of rows: more are no longer exact
_LONGEST = 1 << 20  # characters of a line; two keys take a hundred
_IN_THE_MEAN = 100  # characters of a line
# A small .gz unpacks to any number of lines. So many, each with a pair of its own, take 3 s to read, 0.8 GiB to route.
MOST_LINES = 1_000_000


def read_pairs(
    path: str | Path,
    left: str = "left",
    right: str = "right",
    tell: Callable[[int], None] = lambda read: None,
    most_lines: int = MOST_LINES,
) -> PairCounts:
    """The pairs of columns `left` and `right`; a column `rows` says how many rows each line stands for, else one.

    Keys that are whole numbers in every line of their column are taken as numbers. `tell` hears how far it got.
    """
    if most_lines < 1:
        raise ConfigError("--most-lines", most_lines, "write how many lines may be read, at least 1")
    counts: dict[tuple[str, str], int] = {}
    for number, (line, a, b, rows) in enumerate(_lines(Path(path), (left, right), ROWS, most_lines), 1):
        counts[a, b] = counts.get((a, b), 0) + _whole(rows, "1", f"line {line}: {ROWS}")
        if number % _TOLD_EVERY == 0:
            tell(number)
    return _typed(counts)


def _lines(path: Path, keys: Sequence[str], extra: str, most: int) -> Iterator[tuple[int, str, str, str | None]]:
    """Line number, both keys, and the extra column where there is one."""
    try:
        with _opened(path) as file:
            lines = csv.DictReader(_bounded(file, path, most))
            names = lines.fieldnames or []
            for name in (*keys, extra):
                if names.count(name) > 1:
                    raise ConfigError(
                        "column", name, f"{path} has it {names.count(name)} times: give each its own name"
                    )
            for name in keys:
                if name not in names:
                    raise ConfigError("column", name, f"choose among those of {path}: {', '.join(names) or 'none'}")
            for line in lines:
                a, b = line[keys[0]], line[keys[1]]
                if a is None or b is None:
                    raise ConfigError(f"{path} line {lines.line_num}", line, f"write all columns: {', '.join(names)}")
                if a and b:  # an empty field is a row without a key, which hashing routes
                    yield lines.line_num, a, b, line.get(extra)
    except EOFError:
        raise ConfigError("pairs", str(path), "give a whole file: this .gz ends before its data does") from None
    except (OSError, ValueError, csv.Error, zlib.error) as error:  # of a path or a text that is none
        why = getattr(error, "strerror", None) or str(error)
        raise ConfigError("pairs", str(path), f"give a CSV file with a header line ({why})") from None


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _bounded(file: TextIO, path: Path, most: int) -> Iterator[str]:
    """Its header and so many lines; a device, or a file that unpacks to one line, has no end of one."""
    number, characters = 0, 0
    while line := file.readline(_LONGEST):
        if len(line) == _LONGEST:
            raise ValueError(f"a line of {_LONGEST:,} characters or more")
        characters += len(line)
        if number > most or characters > _LONGEST + most * _IN_THE_MEAN:
            what = "lines" if number > most else f"text than {_IN_THE_MEAN} characters a line"
            remedy = f"count the rows of each pair beforehand in a column {ROWS}, or allow more"
            raise ConfigError("--most-lines", most, f"{path} has more {what}: {remedy}")
        number += 1
        yield line


def _whole(text: str | None, absent: str, field: str) -> int:
    given = absent if text is None else text
    if not (given.isdecimal() and len(given) <= _MOST_DIGITS):
        raise ConfigError(field, given, "write a whole number of rows")
    return int(given)


def _typed(counts: dict[tuple[str, str], int]) -> PairCounts:
    sides = [_type([pair[side] for pair in counts]) for side in (0, 1)]
    typed: dict[Pair, float] = {(sides[0](a), sides[1](b)): rows for (a, b), rows in counts.items()}
    return PairCounts.exact(typed)


def _type(keys: Sequence[str]) -> Callable[[str], Part]:
    # "007" is a name, not the number 7, and "1_0" is no number to anybody but Python.
    return int if all(key.isdecimal() and len(key) <= 4000 and str(int(key)) == key for key in keys) else str
