"""The shape of the house: imports go round in no circle, what is private to Spark is said in one folder."""

import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

import penstock


def test_no_import_goes_round_in_a_circle() -> None:
    graph = grimp.build_graph("penstock", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises a CycleError that names the circle


def test_only_one_folder_says_what_pyspark_keeps_to_itself() -> None:
    """Its handles on Java, the errors of the bridge to it, and what its own modules begin with an underscore."""
    house = Path(penstock.__file__).parent
    private = re.compile(
        r"\._(jvm|jsc|jsparkSession|jdf|jq|jsq|jc|jgd|jwrite|gateway|jmap)\b|\bimport py4j|\bfrom py4j"
        r"|\blaunch_gateway\b|\bfrom pyspark[\w.]* import .*\b_[a-z]"
    )
    said = {str(file.relative_to(house).parent) for file in house.rglob("*.py") if private.search(file.read_text())}
    assert {place for place in said if not place.startswith("engines/spark/jvm")} == set()


def test_files_of_users_are_read_without_spark_and_events_are_understood_without_it() -> None:
    """Imported, too: a contract of imports by name lets what they import by others pass."""
    rooms = ("penstock.config.checking", "penstock.engines.spark.fake", "penstock.engines.spark.watch")
    code = (
        "import importlib, pkgutil, sys\n"
        f"for room in map(importlib.import_module, {rooms}):\n"
        "    for module in pkgutil.walk_packages(getattr(room, '__path__', ()), room.__name__ + '.'):\n"
        "        importlib.import_module(module.name)\n"
        "print([name for name in sys.modules if name == 'pyspark' or name.startswith('penstock.engines.spark.jvm')])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_what_spark_3_5_has_not_is_named_in_one_place() -> None:
    """Spark 4 moved its classes into packages of their own; `make test-oldest` alone would see an import of them."""
    house = Path(penstock.__file__).parent
    moved = re.compile(r"(from|import) pyspark\.(core|sql\.classic|sql\.connect|sql\.streaming\.stateful_processor)\b")
    naming = {str(file.relative_to(house)) for file in house.rglob("*.py") if moved.search(file.read_text())}
    assert naming == {"engines/spark/jvm/columns.py"}


def test_no_test_file_imports_another() -> None:
    """Or a change to one file breaks tests of others, and its fixtures are run twice under two names."""
    tests = Path(__file__).parent
    imported = re.compile(r"^\s*(?:from|import) tests\.[\w.]*\btest_\w+", re.MULTILINE)
    found = {str(file.relative_to(tests)) for file in tests.rglob("*.py") if imported.search(file.read_text())}
    assert found == set()
