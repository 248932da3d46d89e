"""The shape of the house: imports go round in no circle, what is private to Spark is said in one folder."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

import penstock


def test_no_import_goes_round_in_a_circle() -> None:
    graph = grimp.build_graph("penstock", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises a CycleError that names the circle


def test_only_one_folder_says_what_pyspark_keeps_to_itself() -> None:
    """Its handles on Java, and the errors of the bridge to it."""
    spark = Path(penstock.__file__).parent / "engines" / "spark"
    private = re.compile(
        r"\._(jvm|jsc|jsparkSession|jdf|jq|jsq|jc|jgd|jwrite|gateway|jmap)\b|\bimport py4j|\bfrom py4j"
    )
    said = {file.relative_to(spark).parts[0] for file in spark.rglob("*.py") if private.search(file.read_text())}
    assert said == {"jvm"}


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
