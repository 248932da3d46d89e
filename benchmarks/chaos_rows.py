"""Rows of the nemesis: sent by `penstock load`, read by nobody but the tenants, and each counted in the end."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from chaos_history import Rows
from observer import messages

KEYS = 50


class UnjudgedError(Exception):
    """Nothing can be said of rows."""


def load(place: Path, bootstrap: str, name: str, rate: float, seconds: float) -> "subprocess.Popen[bytes]":
    where = ["--bootstrap", bootstrap, "--topic", f"{name}_in", "--json", str(place / f"{name}.json")]
    curve = ["--rate", f"{rate:g}", "--for", f"{seconds:.0f}s", "--keys", str(KEYS), "--zipf", "1"]
    command = [sys.executable, "-m", "penstock.cli.main", "load", *where, *curve]
    return subprocess.Popen(command, start_new_session=True)


def check_delivered(place: Path, names: Sequence[str]) -> None:
    """Each row once: of one that Kafka refused, or that it has twice, nothing can be said."""
    for name in names:
        account = _account(place, name)
        held = sum(after - before for before, after in account["offsets"].values())
        if account["failed"] or held != account["sent"]:
            raise UnjudgedError(
                f"{name}: {account['sent']} rows sent, {account['failed']} refused, {held} in the topic"
            )


def left_of(place: Path, name: str) -> int:
    """The rows of the tenant's topic that are in no batch which its checkpoint has committed."""
    checkpoint, ends = place / "checkpoints" / name, _account(place, name)["offsets"]
    batches = [int(path.name) for path in checkpoint.glob("commits/*") if path.name.isdecimal()]
    read: dict[str, int] = {}
    if batches:
        # It is removed meanwhile, or a full disk left half of it: the next look tells.
        with suppress(OSError, ValueError, LookupError):
            told = (checkpoint / "offsets" / str(max(batches))).read_text(encoding="utf-8").splitlines()[-1]
            read = json.loads(told)[f"{name}_in"]
    return sum(max(0, after - read.get(partition, before)) for partition, (before, after) in ends.items())


def read_rows(place: Path, names: Sequence[str], bootstrap: str) -> tuple[Rows, ...]:
    """What was sent by each key, and what its tenant told of it last."""
    rows = []
    for name in names:
        read: dict[str, int] = {}
        for message in messages(bootstrap, f"{name}_out"):
            key = (message.key() or b"").decode()
            read[key] = max(read.get(key, 0), int(message.value() or 0))
        rows.append(Rows(name, _positive(_account(place, name)["per_key"]), read))
    return tuple(rows)


def _account(place: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place / f"{name}.json").read_text(encoding="utf-8"))
    return found


def _positive(counts: Mapping[str, int]) -> dict[str, int]:
    return {key: count for key, count in counts.items() if count}
