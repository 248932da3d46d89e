"""What CI runs fails it; what cannot be had, such as the oldest Spark, is left out and that is said."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deploy.programs import program

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("setup", "oldest", "code", "said"),
    [(0, 0, 0, ""), (0, 2, 2, ""), (75, 0, 0, "nothing is tested on the oldest Spark"), (1, 0, 1, "")],
    ids=["all pass", "a test fails", "no such wheel", "not installed"],
)
def test_what_fails_on_the_oldest_spark_fails_and_a_registry_without_it_is_said(
    tmp_path: Path, setup: int, oldest: int, code: int, said: str
) -> None:
    done, made = ran(tmp_path, f'[ "$1" != spark ] || exit {setup}', f'[ "$1" != test-oldest ] || exit {oldest}')
    assert (done.returncode, said in done.stderr) == (code, True)
    assert ("test" in made, "test-oldest" in made) == (True, setup == 0)


@pytest.mark.parametrize(("setup", "said"), [(0, False), (1, True)], ids=["a JDK", "none"])
def test_the_plugin_is_built_again_where_there_is_a_compiler_and_else_that_is_said(
    tmp_path: Path, setup: int, said: bool
) -> None:
    done, made = ran(tmp_path, f'[ "$1" != jdk ] || exit {setup}', "")
    assert (done.returncode, "by its sources' hash alone" in done.stderr) == (0, said)
    assert made.index("jdk") < made.index("lint")


@pytest.mark.parametrize(("setup", "said"), [(0, False), (1, True)], ids=["Prometheus", "none"])
def test_alert_rules_are_asked_of_a_prometheus_and_where_there_is_none_that_is_said(
    tmp_path: Path, setup: int, said: bool
) -> None:
    done, made = ran(tmp_path, f'[ "$1" != alerts ] || exit {setup}', "")
    assert (done.returncode, "the alert rules are asked of none" in done.stderr) == (0, said)
    assert made.count("alerts") == (1 if said else 2)  # set up, and made


@pytest.mark.parametrize(("setup", "said"), [(0, False), (1, True)], ids=["Go", "none"])
def test_fleets_are_tried_on_a_yarn_and_on_a_kubernetes_and_where_none_can_be_built_that_is_said(
    tmp_path: Path, setup: int, said: bool
) -> None:
    done, made = ran(tmp_path, f'[ "$1" != kubernetes ] || exit {setup}', "")
    assert (done.returncode, "nothing is tested on one" in done.stderr) == (0, said)
    assert ("test-yarn" in made, "test-kubernetes" in made) == (True, not said)


def test_the_tests_on_real_spark_come_after_those_that_take_less(tmp_path: Path) -> None:
    done, made = ran(tmp_path, "", "")
    assert (done.returncode, made.index("test-spark") - made.index("test")) == (0, 1)


@pytest.mark.parametrize("target", ["test", "test-spark", "test-yarn", "test-kubernetes"])
def test_what_fails_on_whatever_runs_spark_fails(tmp_path: Path, target: str) -> None:
    done, _ = ran(tmp_path, "", f'[ "$1" != {target} ] || exit 2')
    assert done.returncode == 2


@pytest.mark.parametrize("code", [0, 2])
@pytest.mark.parametrize("target", ["chaos-fleet", "chaos-short"])
def test_a_law_that_faults_break_fails_it(tmp_path: Path, target: str, code: int) -> None:
    done, made = ran(tmp_path, "", f'[ "$1" != {target} ] || exit {code}')
    assert (done.returncode, target in made) == (code, True)


def ran(place: Path, setup: str, make: str) -> tuple["subprocess.CompletedProcess[str]", list[str]]:
    """What CI says where these stand for setting up and for make, and what of both it asked for, in order."""
    (place / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", place / ".ci")
    program(place / "scripts" / "setup.sh", f'echo "$1" >>made\n{setup}')
    here = program(place / "bin" / "make", f'echo "$1" >>made\n{make}')
    environment = {**os.environ, "PATH": f"{here}:/usr/bin:/bin"}
    done = subprocess.run([place / ".ci" / "run"], env=environment, capture_output=True, text=True, check=False)
    return done, (place / "made").read_text().split()
