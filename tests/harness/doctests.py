"""Doctests are looked for in files that have any: most have none, and each worker would import and search them all."""

from collections.abc import Generator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

Found = list[pytest.Collector]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, Found, Found]:
    found = yield
    return found if has_doctests(file_path) else [one for one in found if not isinstance(one, DoctestModule)]


def has_doctests(file: Path) -> bool:
    """Whether a doctest can begin in it."""
    return b">>>" in file.read_bytes()
