"""`penstock profile` as a user calls it."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from penstock.engines.spark.profiling import usage
from tests.cli.calling import command, environment, penstock
from tests.patience import eventually, patience_s


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["magic"], "choose one of parse, pi, file, blob, table"),
        (["pi", "--search", "guess"], "choose one of sweep, bisect"),
        (["pi", "--length", "1s", "--warm-up", "2s"], "warm_up_s: 2.0 cannot be used"),
        (["pi", "--rate-growth", "0.5"], "write 1.0 (a fixed step) or more"),
        (["pi", "--max-threads", "0"], "max_threads: 0 cannot be used"),
    ],
)
def test_what_cannot_be_profiled_is_one_line_and_exit_code_2(arguments: list[str], message: str) -> None:
    done = penstock("profile", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.jvm
def test_ctrl_c_leaves_nothing_running_and_the_search_can_go_on(tmp_path: Path) -> None:
    out, record, said = tmp_path / "models.yaml", tmp_path / "models.pi.trials.jsonl", tmp_path / "said"
    options = ["--length", "1s", "--warm-up", "300ms", "--first-rate", "50", "--out", str(out)]
    with said.open("wb") as told:
        running = subprocess.Popen(command("profile", "pi", *options), env=environment(), stdout=told, stderr=told)

    def first_trial_is_on_record() -> bool:
        assert running.poll() is None, said.read_text()
        return record.exists() and record.read_text().count("\n") > 1  # below the head

    try:
        eventually(first_trial_is_on_record)
        started = usage.below(running.pid)
        running.send_signal(signal.SIGINT)
        assert running.wait(patience_s()) == 130
    finally:
        running.kill()
        running.wait()
    eventually(lambda: usage.cpu(started).processes == 0)
    assert len(started) > 2
    assert not out.exists()
    _, *trials = map(json.loads, record.read_text().splitlines())
    assert trials
