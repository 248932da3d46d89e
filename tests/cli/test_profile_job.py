"""`penstock profile JOB --scaleouts ...` as a user calls it, where it refuses to begin."""

from pathlib import Path

import pytest

from tests.cli.calling import penstock

TENANTS = "master: local[4]\njobs: [{name: fraud, job: 'shop:fraud', intent: {latency: 2s}}]\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{}:fraud", "--scaleouts", "1,2"], "scale-outs are executors, which need a cluster: `penstock cluster up`"),
        (["{}:other", "--scaleouts", "1,2"], "it has: fraud"),
        (["{}:fraud", "--scaleouts", "few", "--master", "spark://127.0.0.1:1"], "numbers of executors such as 1,2,4,8"),
        (["{}:fraud", "{}:fraud", "--scaleouts", "1"], "profile one job at a time"),
        (["nowhere.yaml:fraud", "--scaleouts", "1"], "give a file that can be read"),
    ],
)
def test_what_cannot_be_rehearsed_is_one_line_and_exit_code_2(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "tenants.yaml").write_text(TENANTS)
    done = penstock("profile", *(argument.format(tmp_path / "tenants.yaml") for argument in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
