"""A driver takes Spark and small packages only: what else penstock can do is an extra, asked for in one line."""

import json
import os
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from penstock.extras import NAMES, check_extra, extra_of, installed

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = sorted(
    module for module in packages_distributions() if extra_of(module) is not None
)  # of every extra that is installed here, and here all are

# A driver that has none of the extras: what it imports, and what each door says.
WITHOUT = """
import json, sys
for module in json.loads(sys.argv[1]):
    sys.modules[module] = None
from penstock.errors import PenstockError
said = {}
for door in json.loads(sys.argv[2]):
    try:
        exec(door, {})
    except PenstockError as error:
        said[door] = str(error)
    else:
        said[door] = "done"
print(json.dumps(said))
"""
WORKS = [
    "import penstock as ps; ps.govern; [getattr(ps, name) for name in ps.__all__]",
    "from penstock.planning.registry import policy_named; policy_named('penstock').start()",
    "from penstock.planning.registry import POLICIES, policy_named; [policy_named(name) for name in POLICIES]",
    "import penstock.governing.run, penstock.governing.demo, penstock.governing.supervise, penstock.cli.run",
    "import penstock as ps; ps.route({('a', 'b'): 1}, servers=2, method='greedy')",
]
ASKS = {
    "import penstock as ps; ps.route({(n, n): 1 for n in range(9)}, servers=2)": "routing",
    "from penstock.planning.provision.packing import pack; pack([(0.5, 0.1), (0.1, 0.5), (0.6, 0.2)] * 4, 1)": "models",
    "from penstock.engines.spark.routing.shape import packed; packed([])": "routing",
    "from penstock.planning.routing_settings import RoutingSettings as S\n"
    "from penstock.planning.registry import policy_named; policy_named('henge', routing=S('act')).start()": "routing",
    "from penstock.store.open import open_store; open_store('postgresql://localhost/none')": "postgres",
}


def without_extras(*doors: str) -> dict[str, str]:
    command = [sys.executable, "-c", WITHOUT, json.dumps(MODULES), json.dumps(doors)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said: dict[str, str] = json.loads(done.stdout)
    return said


def requirements(extra: str) -> list[Requirement]:
    return [Requirement(line) for line in PROJECT["optional-dependencies"][extra]]


def test_governing_needs_no_extra_and_each_door_says_in_one_line_which_it_needs() -> None:
    said = without_extras(*WORKS, *ASKS)
    assert [door for door in WORKS if said[door] != "done"] == []
    for door, extra in ASKS.items():
        assert said[door].endswith(f"pip install 'penstock[{extra}]'"), door
        assert "\n" not in said[door]


def test_governing_imports_no_web_server_nothing_that_draws_and_nothing_that_learns() -> None:
    code = "; ".join(["import sys, json", *WORKS[:4], "print(json.dumps(sorted(sys.modules)))"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted({*MODULES, "sklearn", "torch"} & set(json.loads(done.stdout))) == []


def test_two_lines_in_a_driver_import_nothing_that_reads_files_of_tenants_or_talks_to_a_coordinator() -> None:
    code = "import json, sys; import penstock as ps; ps.govern, ps.Latency; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    files = {"yaml", "pydantic", "penstock.config", "penstock.engines.applications.wire"}
    assert sorted(files & set(json.loads(done.stdout))) == []


@pytest.mark.parametrize(
    ("line", "extra"),
    [(["serve"], "web"), (["kafka", "up"], "kafka"), (["coordinate", "f.yaml", "--keda", "0"], "keda")],
)
def test_a_command_says_it_too(line: list[str], extra: str, tmp_path: Path) -> None:
    code = (
        "import json, sys; modules, line = map(json.loads, sys.argv[1:]); sys.modules.update(dict.fromkeys(modules))\n"
        "from penstock.cli.main import main; sys.argv = ['penstock', *line]; main()"
    )
    command = [sys.executable, "-c", code, json.dumps(MODULES), json.dumps(line)]
    env = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith(f"pip install 'penstock[{extra}]'\n")


def test_the_package_has_the_extras_that_the_doors_name() -> None:
    assert sorted(PROJECT["optional-dependencies"]) == sorted([*NAMES, "all"])
    distributions = packages_distributions()
    for extra in NAMES:
        brought = {canonicalize_name(found.name) for found in requirements(extra)}
        modules = [module for module in MODULES if extra_of(module) == extra]
        assert {canonicalize_name(distributions[module][0]) for module in modules} == brought


def test_all_has_every_extra() -> None:
    assert requirements("all")[0].extras == set(NAMES)


def test_the_core_asks_for_nothing_of_an_extra_and_for_a_range_of_sparks() -> None:
    core = {str(canonicalize_name(found.name)): found for found in map(Requirement, PROJECT["dependencies"])}
    assert core.keys() & {canonicalize_name(found.name) for extra in NAMES for found in requirements(extra)} == set()
    taken = core["pyspark"].specifier
    assert [Version(v) in taken for v in ("3.4.4", "3.5.0", "4.0.0", "4.3.0", "5.0.0")] == [
        False,
        True,
        True,
        True,
        False,
    ]


def test_all_extras_are_installed_where_the_tests_run() -> None:
    assert [extra for extra in NAMES if not installed(extra)] == []
    check_extra("web")
