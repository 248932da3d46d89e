"""Whoever installs penstock has its types: mypy and pyright find the mistakes of a program of theirs, and no others.

The wheel is installed into an environment of its own, and neither checker sees this checkout.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import penstock as ps
from tests import user_program
from tests.installing import ROOT, uv
from tests.patience import eventually

STRICT = {"typeCheckingMode": "strict", "reportUnnecessaryTypeIgnoreComment": "error"}
OURS = ("PYTHONPATH", "MYPYPATH", "VIRTUAL_ENV")  # where these lead, a user has nothing


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the wheel, and all that it needs from this one."""
    place = tmp_path_factory.mktemp("theirs") / "venv"
    uv("venv", "--python", sys.executable, place)
    python = place / "bin" / "python"
    uv("build", "--wheel", "--out-dir", place / "wheel", ROOT)  # anew: uv would take a folder's wheel from its cache
    (wheel,) = (place / "wheel").glob("*.whl")
    uv("pip", "install", "--no-deps", "--python", python, wheel)
    (site,) = place.glob("lib/python*/site-packages")
    (site / "beside.pth").write_text(sysconfig.get_path("purelib"))
    return python


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Alone in a folder: no settings of this checkout hold for it."""
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(STRICT))
    return Path(shutil.copy(user_program.__file__, tmp_path / "program.py"))


def said(checker: str, *words: str | Path, folder: Path) -> str:
    """What the checker has to say; nothing of an older version of it that a network would tell."""
    env = {name: value for name, value in os.environ.items() if name not in OURS}
    env["PYRIGHT_PYTHON_IGNORE_WARNINGS"] = "1"
    command = [sys.executable, "-m", checker, *map(str, words)]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_they_have_the_wheel_and_not_this_checkout(theirs: Path, tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name not in OURS}
    command = [str(theirs), "-c", "import penstock, pyspark; print(penstock.__file__)"]
    found = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout
    assert Path(found.strip()).is_relative_to(theirs.parents[1])


@pytest.mark.long  # it reads all of PySpark, as it would for them
def test_mypy_finds_each_mistake_of_theirs_and_no_other(theirs: Path, program: Path) -> None:
    found = said(
        "mypy",
        "--strict",
        "--config-file=",
        *("--cache-dir", program.parent / "cache"),
        *("--python-executable", theirs),
        program.name,
        folder=program.parent,
    )
    assert found == "Success: no issues found in 1 source file\n"


def test_pyright_finds_each_mistake_of_theirs_and_no_other(theirs: Path, program: Path) -> None:
    found = said("pyright", "--pythonpath", theirs, folder=program.parent)
    assert found == "0 errors, 0 warnings, 0 informations\n"


@pytest.mark.long  # the short tests see the types that the program uses
def test_the_type_of_every_public_name_is_known_and_written_down(
    theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It takes the Python that it finds, whatever it is told.
    monkeypatch.setenv("PATH", f"{theirs.parent}{os.pathsep}{os.environ['PATH']}")
    text = said(
        *("pyright", "--verifytypes", "penstock", "--ignoreexternal", "--outputjson"),
        folder=tmp_path,
    )
    names = {f"penstock.{name}" for name in ps.__all__}
    symbols: list[Mapping[str, Any]] = json.loads(text)["typeCompleteness"]["symbols"]
    public = {symbol["name"]: symbol for symbol in symbols if symbol["name"] in names}
    assert public.keys() == names
    assert [name for name, symbol in public.items() if symbol["isTypeAmbiguous"] or not symbol["isTypeKnown"]] == []


def test_their_program_does_what_it_says(tmp_path: Path) -> None:
    spark, paper = ps.FakeSpark(), user_program.Paper()

    def work(governed: ps.Controller) -> None:
        spark.start_foreign("fraud")
        eventually(lambda: governed.decisions or None)

    lines = user_program.in_a_block(spark, tmp_path, work, paper)
    assert lines[0] == "Reduced: 1 will do"
    assert "weight 2 -> 1" in lines
    assert "1 will do" in paper.lines[0]


def test_it_governs_without_a_block_too() -> None:
    utilities = user_program.without_a_block(ps.FakeSpark(), lambda g: eventually(lambda: g.views or None) and None)
    assert utilities
