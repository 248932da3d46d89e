"""What the image and `make setup` install is what uv.lock says, by a uv of one version with known hashes."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.deploy.programs import answering, program

ROOT = Path(__file__).parents[2]
IMAGE = (ROOT / "deploy" / "kubernetes" / "Dockerfile").read_text()
RUNS = " ".join(IMAGE.replace("\\\n", " ").split())
UV = re.findall(r"^uv==([\d.]+)", (ROOT / "scripts" / "uv.txt").read_text(), re.MULTILINE)


@cache
def locked() -> set[tuple[str, str]]:
    """Each package and its version; half a second to read, which nobody needs who only collects tests."""
    return {(one["name"], one["version"]) for one in tomllib.loads((ROOT / "uv.lock").read_text())["package"]}


def synced() -> list[str]:
    """How the image calls uv."""
    (call,) = re.findall(r"/opt/uv/bin/uv (sync [^&]+)", RUNS)
    return str(call).split()


def test_all_that_pip_installs_in_the_image_has_a_hash() -> None:
    (installed,) = re.findall(r"pip install ([^&]+)", RUNS)
    assert installed.split() == [
        "--no-cache-dir",
        "--require-hashes",
        "-r",
        "/opt/penstock-source/scripts/uv.txt",
    ]
    assert len(UV) == 1


def test_the_images_environment_is_what_the_lock_says(tmp_path: Path) -> None:
    uv = shutil.which("uv") or str(Path(sys.prefix).parent / ".tools" / "bin" / "uv")
    environment = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(tmp_path / "venv"), "UV_PYTHON_DOWNLOADS": "never"}
    place = synced().index("--python") + 1
    call = [*synced()[:place], sys.executable, *synced()[place + 1 :], "--dry-run", "--offline"]
    done = subprocess.run([uv, *call], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    told = set(re.findall(r"^ \+ ([\w.-]+)==([\w.+-]+)", done.stderr, re.MULTILINE))
    assert done.returncode == 0, done.stderr
    assert told <= locked()
    names = {name for name, _ in told}
    assert {"pyspark", "uvicorn", "psycopg"} <= names
    assert not {"pytest", "mypy"} & names


def test_the_image_is_of_the_spark_that_is_locked() -> None:
    (spark,) = re.findall(r"^FROM apache/spark:([\d.]+)-", IMAGE, re.MULTILINE)
    assert ("pyspark", spark) in locked()


@pytest.mark.parametrize("installed", ["0.0.1", UV[0]], ids=["another", "that-one"])
def test_setting_up_takes_that_uv_and_no_other(tmp_path: Path, installed: str) -> None:
    (tmp_path / "scripts").mkdir()
    for name in ("setup.sh", "uv.txt"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    here = answering(tmp_path / "bin" / "uv", installed)
    answering(tmp_path / ".tools" / "bin" / "uv", UV[0])
    environment = {**os.environ, "PATH": f"{here}:{os.environ['PATH']}", "PYTHON": sys.executable}
    subprocess.run([tmp_path / "scripts" / "setup.sh"], env=environment, capture_output=True, check=True)
    assert [line.split()[:3] for line in (tmp_path / "calls").read_text().splitlines()] == [[UV[0], "sync", "--frozen"]]


@pytest.mark.parametrize("code", [0, 100], ids=["installed", "failed"])
def test_a_package_that_setting_up_installs_starts_no_server(tmp_path: Path, code: int) -> None:
    place, policy = tmp_path / "scripts", tmp_path / "policy-rc.d"
    place.mkdir()
    shutil.copy(ROOT / "scripts" / "uv.txt", place)
    (tmp_path / "pyproject.toml").write_text('dependencies = ["pyspark"]')  # which needs a Java
    script = (ROOT / "scripts" / "setup.sh").read_text()
    program(place / "setup.sh", script.replace("/usr/sbin/policy-rc.d", str(policy)))
    answering(tmp_path / "bin" / "uv", UV[0])
    program(tmp_path / "bin" / "id", "echo 0")
    program(tmp_path / "bin" / "java", "exit 1")
    program(tmp_path / "bin" / "apt-cache", "exit 0")
    program(tmp_path / "bin" / "apt-get", f'[ "$1" = install ] || exit 0; {policy}; echo $? >asked; exit {code}')
    kept = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment = {**kept, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "PYTHON": sys.executable}
    subprocess.run([place / "setup.sh"], env=environment, capture_output=True, check=False)
    assert (tmp_path / "asked").read_text() == "101\n"  # what Debian's packages take for: do not start it
    assert not policy.exists()


@pytest.mark.parametrize(
    ("fails", "code"), [("pyspark==3.5.*", 75), ("--editable", 1)], ids=["no Spark", "not beside it"]
)
def test_a_spark_that_no_registry_gives_is_another_thing_than_one_that_we_do_not_install_beside(
    tmp_path: Path, fails: str, code: int
) -> None:
    place = tmp_path / "scripts"
    place.mkdir()
    for name in ("setup.sh", "uv.txt"):
        shutil.copy(ROOT / "scripts" / name, place)
    says = f'[ "$1" = --version ] && echo "uv {UV[0]} (here)" && exit; case "$*" in *" {fails}"*) exit 1;; esac'
    here = program(tmp_path / "bin" / "uv", says)
    environment = {**os.environ, "PATH": f"{here}:{os.environ['PATH']}", "PYTHON": sys.executable}
    done = subprocess.run([place / "setup.sh", "spark", "3.5"], env=environment, capture_output=True, text=True)
    assert (done.returncode, "gives no Spark 3.5" in done.stderr) == (code, code == 75)


def test_without_go_it_is_said_what_a_kubernetes_would_be_built_with(tmp_path: Path) -> None:
    place = tmp_path / "scripts"
    place.mkdir()
    shutil.copy(ROOT / "scripts" / "setup.sh", place)
    here = program(tmp_path / "bin" / "dirname", "echo scripts")  # all that it calls by then
    environment = {**os.environ, "PATH": str(here)}
    call = [str(place / "setup.sh"), "kubernetes"]
    done = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, "Go is missing" in done.stderr) == (1, True)
