"""The web server under attack: slow sockets, streams and what-ifs beside acts and cycles; quiet first, then attacked.

python benchmarks/web_attack.py [--of run] --sockets 5000 --streams 200 --what-ifs 50 --runs 3  # make bench-web

It starts `penstock serve --scenario`, or a driver with its pages (`penstock run --dashboard`, on an engine that is one
of its own process), with as many descriptors as a process usually may have. It asks how the controller stands five
times a second, and prints one JSON document: of each run how long that took, how far apart cycles were, what the
attackers were told, the most descriptors, and how fast the log grew; and the range of each figure over all runs.
The attackers are a process of their own: what is measured does not wait for them, but for the machine that they share.
"""

import argparse
import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np

ROOT = Path(__file__).parents[1]
SCENARIO = ROOT / "scenarios" / "spark" / "urgent.yaml"
DESCRIPTORS = 1024
RANGED = ("control_p99_s", "gap_mean_s", "gap_most_s", "descriptors", "log_mb_per_h")
EVERY_S = 0.2
HALF = b"GET /api/runs HTTP/1.1\r\nhost: 127.0.0.1\r\n"
WATCH = b"GET /api/live HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
QUESTION = b'{"minutes": 60}'
ASK = (
    b"POST /api/what-if HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nconnection: close\r\n"
    + f"content-length: {len(QUESTION)}\r\n\r\n".encode()
    + QUESTION
)


@dataclass(slots=True)
class Seen:
    """What was measured in one phase."""

    took_s: list[float]
    gaps_s: list[float]
    failed: Counter[str]  # by kind: one that is let go of between two questions may ask again at once
    descriptors: int
    log_bytes: int
    length_s: float

    def document(self) -> dict[str, Any]:
        """For people and for comparisons."""
        p50, p99 = np.quantile(self.took_s or [float("nan")], [0.5, 0.99])
        return {
            "asked": len(self.took_s) + self.failed.total(),
            "not_answered": dict(self.failed),
            "control_p50_s": round(float(p50), 4),
            "control_p99_s": round(float(p99), 4),
            "cycles": len(self.gaps_s) + 1,
            "gap_mean_s": round(float(np.mean(self.gaps_s)), 2) if self.gaps_s else None,
            "gap_most_s": round(max(self.gaps_s), 2) if self.gaps_s else None,
            "descriptors": self.descriptors,
            "log_mb_per_h": round(self.log_bytes / 1e6 / self.length_s * 3600, 3),
        }


def observed(url: str, pid: int, log: Path, length_s: float) -> Seen:
    """Ask how the controller stands, again and again."""
    seen = Seen([], [], Counter(), 0, -log.stat().st_size, length_s)
    until_s, last = time.monotonic() + length_s, None
    with httpx.Client(timeout=10.0) as client:
        while time.monotonic() < until_s:
            began_s = time.monotonic()
            try:
                stands = client.get(f"{url}api/control").raise_for_status().json()
                seen.took_s.append(time.monotonic() - began_s)
                now = stands["seen_at_epoch_s"]
                if last is not None and now != last:
                    seen.gaps_s.append(now - last)
                last = now
            except httpx.HTTPError as error:
                seen.failed[type(error).__name__] += 1
            seen.descriptors = max(seen.descriptors, len(os.listdir(f"/proc/{pid}/fd")))
            time.sleep(max(0.0, EVERY_S - (time.monotonic() - began_s)))
    seen.log_bytes += log.stat().st_size
    return seen


async def attack(port: int, sockets: int, streams: int, what_ifs: int, length_s: float) -> dict[str, int]:
    """All of it at once; what came, by kind and status."""
    came: Counter[str] = Counter()

    async def once(kind: str, said: bytes) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(said)
            head = await reader.readline()
            came[f"{kind} {head.split()[1].decode() if head else 'let go'}"] += 1
            while await reader.read(65536):
                pass
        finally:
            writer.close()

    async def on_and_on(kind: str, said: bytes) -> None:
        while True:
            try:
                await once(kind, said)
            except OSError:
                came[f"{kind} no connection"] += 1
            await asyncio.sleep(1.0)

    kinds: list[tuple[int, Callable[[], Coroutine[Any, Any, None]]]] = [
        (sockets, lambda: on_and_on("socket", HALF)),
        (streams, lambda: on_and_on("stream", WATCH)),
        (what_ifs, lambda: on_and_on("what-if", ASK)),
    ]
    tasks = [asyncio.create_task(attacker()) for count, attacker in kinds for _ in range(count)]
    await asyncio.sleep(length_s)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return dict(sorted(came.items()))


def serving(place: Path) -> list[str]:
    """The server with a simulation beside it."""
    return [*("serve", "--scenario", str(SCENARIO), "--policy", "henge", "--speed", "5", "--port", "0"), *_kept(place)]


def running(place: Path) -> list[str]:
    """A driver with its pages, whose engine is the tests' toy: what is attacked is the driver's process, not Spark."""
    package = place / "toy-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[penstock.engines]\ntoy = tests.engines.toy.engine:toy\n")
    jobs = [{"name": name, "intent": {"latency": "2s"}, "params": {"rate": 100}} for name in ("ads", "clicks", "fraud")]
    tenants = {"name": "web", "engine": {"toy": {"each": 60}}, "policy": "ds2", "interval": "2s", "jobs": jobs}
    (place / "tenants.yaml").write_text(json.dumps(tenants))  # JSON is YAML
    return ["run", str(place / "tenants.yaml"), "--dashboard", "--port", "0", *_kept(place)[:2]]


def _kept(place: Path) -> list[str]:
    return ["--store", str(place / "runs.sqlite"), "--tokens", str(place / "tokens.json")]


ATTACKED = {"serve": serving, "run": running}


def started(place: Path, of: str) -> "tuple[subprocess.Popen[bytes], str]":
    """What is attacked, and where its pages are."""
    said = place / "said.log"
    command = [sys.executable, "-m", "penstock.cli.main", *ATTACKED[of](place)]
    limited = ["sh", "-c", f'ulimit -n {DESCRIPTORS}; exec "$@"', "sh", *command]
    paths = os.pathsep.join([str(place), str(ROOT), os.environ.get("PYTHONPATH", "")])
    with said.open("wb") as out:
        process = subprocess.Popen(limited, stdout=out, stderr=out, env={**os.environ, "PYTHONPATH": paths})
    while (found := re.search(r"(http://127\.0\.0\.1:\d+/)", said.read_text())) is None:
        if process.poll() is not None:
            raise SystemExit(said.read_text())
        time.sleep(0.1)
    return process, found.group(1)


def main() -> None:
    """Measure, and print."""
    options = argparse.ArgumentParser(description=__doc__)
    for name, default in (("sockets", 2000), ("streams", 100), ("what-ifs", 20)):
        options.add_argument(f"--{name}", type=int, default=default)
    options.add_argument("--for", dest="for_s", type=float, default=60.0, help="seconds under attack")
    options.add_argument("--quiet", dest="quiet_s", type=float, default=30.0, help="seconds before it")
    options.add_argument("--of", choices=ATTACKED, default="serve", help="what is attacked")
    options.add_argument("--runs", type=int, default=1, help="so many, each with a process of its own")
    options.add_argument("--settle", dest="settle_s", type=float, default=10.0, help="seconds before anything is asked")
    options.add_argument("--attack", type=int, metavar="PORT", help=argparse.SUPPRESS)
    given = options.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    if given.attack is not None:
        came = asyncio.run(attack(given.attack, given.sockets, given.streams, given.what_ifs, given.for_s))
        print(json.dumps(came))
        return
    runs = [measured(given) for _ in range(given.runs)]
    print(json.dumps({"of": given.of, "runs": runs, "ranges": ranges(runs)}, indent=2))


def ranges(runs: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, list[float]]]:
    """Of each phase the least and the most of its figures, over all runs that have them.

    >>> ranges([{"quiet": {"gap_mean_s": 2.0}, "attacked": {}}, {"quiet": {"gap_mean_s": 2.5}, "attacked": {}}])
    {'quiet': {'gap_mean_s': [2.0, 2.5]}, 'attacked': {}}
    """
    found: dict[str, dict[str, list[float]]] = {"quiet": {}, "attacked": {}}
    for phase, figures in found.items():
        for name in RANGED:
            values = [run[phase][name] for run in runs if run[phase].get(name) is not None]
            if values:
                figures[name] = [min(values), max(values)]
    return found


def measured(given: argparse.Namespace) -> dict[str, Any]:
    """Quiet, then attacked."""
    counts = [f"--sockets={given.sockets}", f"--streams={given.streams}", f"--what-ifs={given.what_ifs}"]
    with tempfile.TemporaryDirectory() as place:
        process, url = started(Path(place), given.of)
        try:
            time.sleep(given.settle_s)
            quiet = observed(url, process.pid, Path(place, "said.log"), given.quiet_s)
            port = url.rstrip("/").rpartition(":")[2]
            command = [sys.executable, __file__, "--attack", port, f"--for={given.for_s + 5.0}", *counts]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as attackers:
                time.sleep(2.0)
                attacked = observed(url, process.pid, Path(place, "said.log"), given.for_s)
                came, _ = attackers.communicate()
            return {"quiet": quiet.document(), "attacked": attacked.document(), "attackers": json.loads(came)}
        finally:
            process.terminate()
            process.wait(30.0)


if __name__ == "__main__":
    main()
