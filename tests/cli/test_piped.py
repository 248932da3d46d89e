"""A file that another program writes at that moment, `<(helm template ...)` of a shell, is read as any other."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from tests.cli.calling import ROOT, penstock
from tests.event_log import Query, log_of

TENANTS = (ROOT / "examples" / "tenants.yaml").read_text(encoding="utf-8")


@contextmanager
def piped(text: str) -> Iterator[str]:
    """Where that text can be read, once."""
    out, into = os.pipe()
    try:
        os.write(into, text.encode())  # less than a pipe holds
        os.close(into)
        yield f"/dev/fd/{out}"
    finally:
        os.close(out)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("check", "--no-modules"), "3 jobs (fraud, revenue, visits)"),
        (("intents",), "fraud: mean latency <= 2s, worth 40"),
        (("intents", "--openslo"), "kind: SLO"),
    ],
)
def test_a_tenants_file(command: tuple[str, ...], told: str) -> None:
    with piped(TENANTS) as path:
        called = penstock(*command, path)
    assert (called.returncode, called.stderr) == (0, "")
    assert told in called.stdout


@pytest.mark.parametrize(
    ("file", "told"),
    [("src/penstock/catalog/dags/traffic.yaml", "operators to plan"), ("scenarios/spark/urgent.yaml", "a scenario of")],
)
def test_a_plan_and_a_scenario(file: str, told: str) -> None:
    with piped((ROOT / file).read_text(encoding="utf-8")) as path:
        called = penstock("check", path)
    assert (called.returncode, called.stderr) == (0, "")
    assert told in called.stdout


def test_objectives_of_openslo(tmp_path: Path) -> None:
    log = tmp_path / "app-1"
    log.write_bytes(b"".join(log_of([Query("fraud", rows_per_s=100.0, every_s=1.0, took_s=0.5, busy_s=0.8)], 10.0)))
    with piped(TENANTS) as path:
        slos = penstock("intents", path, "--openslo").stdout
    with piped(slos) as path:
        called = penstock("intents", path)
    assert [job["name"] for job in yaml.safe_load(called.stdout)["jobs"]] == ["fraud", "revenue", "visits"]
    with piped(slos) as path:
        refused = penstock("advise", "--history", str(log), path)
    assert "batches for 40 s or more" in refused.stderr  # of the tenants, which were read
