"""`penstock serve` ends when it is told to, in order."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.patience import eventually, patience_s
from tests.web import asking

ROOT = Path(__file__).parents[2]
MAIN = "from penstock.cli.main import main; main()"


@pytest.fixture
def serving(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A server with a simulation beside it."""
    scenario = ROOT / "scenarios" / "spark" / "urgent.yaml"
    options = ["--store", str(tmp_path / "runs.sqlite"), "--tokens", str(tmp_path / "tokens.json"), "--port", "0"]
    command = [sys.executable, "-c", MAIN, "serve", "--scenario", str(scenario), "--speed", "10", *options]
    with (tmp_path / "said").open("wb") as said:
        process = subprocess.Popen(command, stderr=said, stdout=said)
    yield process
    if process.poll() is None:
        process.kill()
        process.wait(patience_s())


def url_of(said: str) -> str | None:
    found = re.search(r"dashboard: (http\S+)", said)
    return found.group(1) if found else None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["terminated", "interrupted"])
def test_it_ends_in_order_when_it_is_told_to(
    serving: "subprocess.Popen[bytes]", tmp_path: Path, number: signal.Signals
) -> None:
    said = tmp_path / "said"
    url = eventually(lambda: url_of(said.read_text()))
    eventually(lambda: asking.get(f"{url}api/overview").json().get("present"))
    serving.send_signal(number)
    assert serving.wait(patience_s()) == 0
    assert "Traceback" not in said.read_text()
