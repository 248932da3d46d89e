"""The line of progress."""

from types import SimpleNamespace
from typing import Any, cast

from tests.harness.progress import Progress


def test_it_says_how_much_is_done_and_what_runs_since_when() -> None:
    progress = Progress(began_s=100.0)
    progress.pytest_xdist_node_collection_finished(ids=["a", "b", "c"])
    progress.pytest_runtest_logstart("a")
    progress.pytest_runtest_logfinish("a")
    progress.began("b", now_s=120.0)
    progress.pytest_runtest_logreport(cast(Any, SimpleNamespace(failed=True)))
    assert progress.line(160.0) == "[1.0 min] 1 of 3 done, 1 failed; now: b for 40 s"


def test_before_there_are_tests_it_says_so() -> None:
    assert Progress(began_s=0.0).line(90.0) == "[1.5 min] collecting; now: between tests"
