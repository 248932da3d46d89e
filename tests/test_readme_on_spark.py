"""What the README tells a newcomer to run, run on Spark as it stands: its driver, and its tenants file."""

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import command, environment
from tests.governing.supervised import views
from tests.patience import eventually

pytestmark = pytest.mark.jvm

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RUNS = re.findall(r"^    penstock (run .+?)(?:  +#.*)?$", README, re.MULTILINE)

# The queries are the examples' own; one ends once all are governed, and with it the driver.
DRIVER = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from pyspark.sql import SparkSession
import shop_jobs

builder = SparkSession.builder.master("local[4]").config("spark.scheduler.mode", "FAIR")
spark = builder.config("spark.sql.shuffle.partitions", 4).getOrCreate()

def start_my_queries(spark):
    made = {"fraud": shop_jobs.fraud, "reports": shop_jobs.revenue, "clicks": shop_jobs.visits}
    queries = [job(spark).queryName(name).start() for name, job in made.items()]
    threading.Thread(target=lambda: (sys.stdin.read(), queries[0].stop()), daemon=True).start()
"""


def kept_in(place: Path) -> dict[str, str]:
    """The environment of somebody whose runs are kept in that place."""
    return {**environment(), "XDG_STATE_HOME": str(place)}


def governed(place: Path) -> frozenset[str]:
    """The tenants of whom the only run in that place has recorded a latency or juice."""
    return frozenset(job.name for view in views(place / "penstock") for job in view.jobs if job.utility is not None)


@pytest.mark.parametrize("line", RUNS)
def test_its_tenants_are_governed_until_ctrl_c(line: str, tmp_path: Path) -> None:
    other_port = ["--port", "0"] if "--dashboard" in line else []
    told = [*command(*shlex.split(line)), *other_port]
    with (tmp_path / "said").open("wb") as said:
        run = subprocess.Popen(told, cwd=ROOT, env=kept_in(tmp_path), stdout=said, stderr=said, process_group=0)
        try:
            eventually(lambda: governed(tmp_path) == {"fraud", "revenue", "visits"})
        finally:
            run.send_signal(signal.SIGINT)
            run.wait()
    assert run.returncode == 130, (tmp_path / "said").read_text()
    assert ("dashboard: http://127.0.0.1:" in (tmp_path / "said").read_text()) == ("--dashboard" in line)


def test_its_driver_governs_the_queries_that_it_starts(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (tmp_path / "driver.py").write_text(DRIVER + code, encoding="utf-8")
    found = kept_in(tmp_path)
    with (tmp_path / "said").open("wb") as said:
        driver = subprocess.Popen(
            [sys.executable, "driver.py", str(ROOT / "examples")],
            cwd=tmp_path,
            env=found,
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=said,
        )
        try:
            eventually(lambda: governed(tmp_path) == {"fraud", "reports", "clicks"})
        finally:
            driver.communicate()
    assert driver.returncode == 0, (tmp_path / "said").read_text()
