"""The wheel has all that its commands need where there is no checkout."""

import zipfile
from pathlib import Path

import pytest

from tests.installing import ROOT, uv

SOURCE = ROOT / "src" / "penstock"


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Of the files in a wheel that is built now."""
    place = tmp_path_factory.mktemp("wheel")
    uv("build", "--wheel", "--out-dir", place, ROOT)
    (wheel,) = place.glob("penstock-*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_every_file_of_the_package_is_in_it_and_nothing_else_but_its_description(names: set[str]) -> None:
    there = {
        f"penstock/{file.relative_to(SOURCE)}" for file in SOURCE.rglob("*") if file.is_file() and file.suffix != ".pyc"
    }
    described = {name for name in names if ".dist-info/" in name}
    assert names - described == there
    assert {Path(name).name for name in described} >= {"METADATA", "entry_points.txt", "LICENSE"}


@pytest.mark.parametrize(
    "name",
    [
        "py.typed",  # or type checkers see nothing of it
        "local/kafka/jars.lock",  # what is fetched for Kafka, with checksums
        "engines/spark/launch/log4j2.properties",
        "config/tenants.schema.json",
        "web/static/index.html",
    ],
)
def test_what_is_no_module_is_in_it(names: set[str], name: str) -> None:
    assert f"penstock/{name}" in names
