"""Scenarios that cannot be simulated, CSV files that cannot be read: one line, exit code 2, little time and memory."""

import gzip
import resource
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import penstock
from tests.simulation.small import job, scenario, written

MOST_MIB = 300  # more than before the command; each of these would have taken gigabytes, or never ended


def claim(**over: Any) -> dict[str, Any]:
    return {"expect": [{"claim": "it is magic", "metric": "utility_mean", "at_least": 0.5, **over}]}


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no policies": ({"policies": []}, "policies: [] cannot be used; give at least one"),
    "an unknown policy": ({"policies": ["hengge"]}, "policies.0: 'hengge' cannot be used; choose one of fifo"),
    "settings of no policy": ({"settings": {"hnge": {}}}, "settings.hnge: 'hnge' cannot be used; choose one of"),
    "a misspelt setting": ({"settings": {"henge": {"reductoin": 1}}}, "did you mean reduction?"),
    "no jobs": ({"jobs": []}, "jobs: [] cannot be used; give at least one"),
    "governed after the end": ({"govern_from": "2m"}, "govern_from: '2m' cannot be used; write a time before the end"),
    "measured after the end": (
        {"measure_from": "1m"},
        "measure_from: '1m' cannot be used; write a time before the end",
    ),
    "a fault after the end": (
        {"faults": [{"kind": "job", "target": "a", "at": "1h"}]},
        "faults.0.at: '1h' cannot be used; write a time before the end",
    ),
    "a duration of 1e40": ({"duration": 1e40}, "duration: 1e+40 cannot be used; write 100 years or less"),
    "a duration of ages": ({"duration": "36500d"}, "duration: '36500d' cannot be used; write 30000000s or less"),
    "no time between rounds": ({"interval": 1e-9}, "interval: 1e-09 cannot be used; write 6e-05s or more"),
    "1e9 machines": (
        {"cluster": {"machines": 10**9}},
        "cluster.machines: 1000000000 cannot be used; write 10,000 or less",
    ),
    "1e9 slots": ({"cluster": {"slots": 10**9}}, "cluster.slots: 1000000000 cannot be used; write 10,000 or less"),
    "1e8 copies": ({"jobs": [job(copies=10**8)]}, "jobs.a.copies: 100000000 cannot be used; write 10,000 or less"),
    "1e8 threads": (
        {"jobs": [job(threads={"work": 10**8})]},
        "jobs.a.threads.work: 100000000 cannot be used; write 10,000 or less",
    ),
    "threads in all": (
        {"jobs": [job(copies=1000, threads={"work": 10_000})]},
        "10,001,000 threads' cannot be used; write 1,000,000 or less",
    ),
    "jobs in all": (
        {"jobs": [job(copies=9000), job(name="b", copies=9000)]},
        "18,000 jobs' cannot be used; write 10,000",
    ),
    "a rate of 1e40": ({"jobs": [job(rate=1e40)]}, "jobs.a.rate: 1e+40 cannot be used; write"),
    "a negative rate": ({"jobs": [job(rate=-5)]}, "jobs.a.rate: -5 cannot be used; write 0 or more"),
    "variants without end": (
        {"vary": {f"jobs.0.{name}": list(range(99)) for name in ("rate", "starts", "copies")}},
        "vary: '970,299 variants' cannot be used; write 1,000 combinations or less",
    ),
    "a claim about no figure": (
        claim(metric="utility_meen"),
        "expect.0.metric: 'utility_meen' cannot be used; choose one of",
    ),
    "a claim about no policy": (claim(policy="hengge"), "expect.0.policy: 'hengge' cannot be used; choose one of fifo"),
    "a claim about no job": (claim(job="b"), "expect.0.job: 'b' cannot be used; choose one of a"),
    "a claim about no variant": (
        claim(variant={"jobs.0.rate": 5}),
        "expect.0.variant: {'jobs.0.rate': 5} cannot be used",
    ),
    "a seed below zero": ({"seed": -1}, "seed: -1 cannot be used; write 0 or more"),
    "an include without end": ({"include": ["/dev/zero"]}, "give a file of at most 1,024 KiB"),
    "a trace that is not there": (
        {"jobs": [job(rate={"trace": {"file": "no.csv"}})]},
        "scenario.yaml:8:13: jobs.a.rate.trace.file: ",
    ),
    "a trace that is none": (
        {"jobs": [job(rate={"trace": {"file": "scenario.yaml"}})]},
        "scenario.yaml' cannot be used; its last column must hold",
    ),
}


def refused(*arguments: str) -> str:
    """The one line with which a command refuses, without much memory."""
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    called = penstock(*arguments)
    assert called.returncode == 2, called.stderr
    (line,) = called.stderr.splitlines()
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib) / 1024 < MOST_MIB
    return line


@pytest.mark.parametrize("command", ["simulate", "check"])
@pytest.mark.parametrize("what", WRONG)
def test_a_scenario_that_cannot_be_simulated_is_refused(tmp_path: Path, what: str, command: str) -> None:
    changes, told = WRONG[what]
    assert told in refused(command, str(written(tmp_path, scenario(**changes))))


@pytest.mark.parametrize(
    ("option", "told"), [("--policy", "policy: 'hengge' cannot be used"), ("--scenario", "policies: []")]
)
def test_serve_refuses_a_scenario_before_it_serves(tmp_path: Path, option: str, told: str) -> None:
    path = str(written(tmp_path, scenario(**({"policies": []} if option == "--scenario" else {}))))
    chosen = ["--policy", "hengge"] if option == "--policy" else []
    store = str(tmp_path / "runs.sqlite")
    assert told in refused("serve", "--store", store, "--port", "0", "--scenario", path, *chosen)


def pairs(folder: Path, data: bytes, name: str = "pairs.csv") -> str:
    (folder / name).write_bytes(data)
    return str(folder / name)


RIGHT = b"left,right,rows\n" + b"Asia,#java,3463\nOceania,#python,3700\n" * 50
# 1 GiB of one line, in 64 parts: made in one piece it would be the most memory that this process ever had, and what
# `refused` looks at would tell of nothing else.
ENDLESS = gzip.compress(b"\0" * (1 << 24), 1) * 64


@pytest.mark.parametrize(
    ("data", "name", "told"),
    ids=["cut off", "damaged", "not zipped", "UTF-16", "a key without end", "rows without end", "a line without end"],
    argvalues=[
        (gzip.compress(RIGHT)[:-20], "pairs.csv.gz", "give a whole file: this .gz ends before its data does"),
        (gzip.compress(RIGHT)[:10] + b"\xff" * 40, "pairs.csv.gz", "give a CSV file with a header line"),
        (RIGHT, "pairs.csv.gz", "give a CSV file with a header line (Not a gzipped file"),
        (RIGHT.decode().encode("utf-16"), "pairs.csv", "give a CSV file with a header line"),
        (b"left,right\n" + b"x" * 200_000 + b",y\n", "pairs.csv", "field larger than field limit"),
        (b"left,right,rows\na,b," + b"9" * 5000, "pairs.csv", "write a whole number of rows"),
        (ENDLESS, "pairs.csv.gz", "a line of 1,048,576 characters or more"),
    ],
)
def test_pairs_that_cannot_be_read_are_refused(tmp_path: Path, data: bytes, name: str, told: str) -> None:
    assert told in refused("route", pairs(tmp_path, data, name), "--servers", "2")


@pytest.mark.parametrize("servers", ["1000000000", "1e9", "0", "100001"])
def test_servers_that_no_cluster_has_are_refused(tmp_path: Path, servers: str) -> None:
    called = penstock("route", pairs(tmp_path, RIGHT), "--servers", servers)
    assert called.returncode == 2
    assert "Traceback" not in called.stderr
    assert servers in called.stderr.splitlines()[-1]


def test_racks_whose_number_has_no_end_are_refused(tmp_path: Path) -> None:
    told = refused("route", pairs(tmp_path, RIGHT), "--servers", "2", "--racks", "9" * 5000)
    assert "write how many servers each rack has" in told


def test_machines_with_more_slots_than_there_are_threads_are_refused() -> None:
    assert "2,000,000 in all, or less" in refused("plan", "linear", "--machines", "1000000000")


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.csv.gz"])
def test_pairs_with_a_byte_order_mark_are_read(tmp_path: Path, name: str) -> None:
    data = b"\xef\xbb\xbfleft,right\nAsia,#java\n"
    path = pairs(tmp_path, gzip.compress(data) if name.endswith(".gz") else data, name)
    assert penstock("route", path, "--servers", "2").returncode == 0
