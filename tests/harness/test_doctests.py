"""Which files are searched for doctests."""

from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

from tests.harness.doctests import Found, pytest_collect_file


@pytest.mark.parametrize(
    ("text", "searched"), [('"""Twice one.\n\n>>> 2 * 1\n2\n"""\n', True), ('"""None here: >> is none."""\n', False)]
)
def test_a_file_is_searched_if_a_doctest_can_begin_there_and_its_tests_are_found_all_the_same(
    tmp_path: Path, text: str, searched: bool
) -> None:
    file = tmp_path / "shares.py"
    file.write_text(text)
    doctests, tests = object.__new__(DoctestModule), object.__new__(pytest.Module)
    assert collected(file, [doctests, tests]) == ([doctests, tests] if searched else [tests])


def collected(file: Path, found: Found) -> Found:
    """What is left of what pytest found in it."""
    hook = pytest_collect_file(file)
    next(hook)
    with pytest.raises(StopIteration) as end:
        hook.send(found)
    left: Found = end.value.value
    return left
