"""The guard: what starts a server unmarked is seen, whether the test starts it or a child does."""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.needs import Watch, runs, sentence
from tests.patience import eventually

MARK = ".".join(("pytest", "mark", "contract"))  # so that it does not stand here itself


def test_a_program_that_needs_a_mark_is_refused_before_it_starts() -> None:
    watch = Watch()
    with pytest.raises(PermissionError, match=r"starts java .* write `pytestmark = pytest.mark.jvm`"):
        watch.starts(["/usr/bin/java", "-version"])
    assert watch.seen == {"java"}


def test_a_program_in_a_namespace_is_known_too() -> None:
    with pytest.raises(PermissionError, match="spark-class"):
        Watch().starts(["ip", "netns", "exec", "host0", "/opt/spark/bin/spark-class", "Master"])


def test_a_child_that_starts_one_is_seen() -> None:
    watch = Watch({"cat"})
    watch.starts(["sh"])
    with subprocess.Popen(["sh", "-c", "cat; true"], stdin=subprocess.PIPE):  # it ends with what it reads
        eventually(lambda: watch.seen)
    watch.end()
    assert watch.seen == {"cat"}


def test_a_script_of_that_name_is_not_that_program(tmp_path: Path) -> None:
    script = tmp_path / "sort"
    script.write_text("#!/bin/sh\nread word; exec cat\n")
    script.chmod(0o755)
    with subprocess.Popen([script], stdin=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        eventually(lambda: Path(f"/proc/{child.pid}/comm").read_text() == "sort\n")
        assert runs(child.pid) != "sort"
        child.stdin.write("go\n")
        child.stdin.flush()
        eventually(lambda: runs(child.pid) == "cat")


def test_what_a_server_of_other_tests_starts_meanwhile_is_not_this_tests() -> None:
    pipe, script = subprocess.PIPE, "read word; cat; true"
    with subprocess.Popen(["sh", "-c", script], stdin=pipe, stdout=pipe, text=True) as server:
        watch = Watch({"cat", "sort"})
        watch.starts(["sh"])
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("go\nthere\n")
        server.stdin.flush()
        assert server.stdout.readline() == "there\n"  # said by its cat, which runs until this ends
        with subprocess.Popen(["sh", "-c", "sort; true"], stdin=pipe):
            eventually(lambda: watch.seen)  # the look that saw this test's own came upon both
    watch.end()
    assert watch.seen == {"sort"}


def test_other_programs_may_be_started() -> None:
    watch = Watch()
    watch.starts(["sh", "-c", "true"])
    subprocess.run(["sh", "-c", "true"], check=True)
    watch.end()
    assert watch.seen == set()


def test_what_is_missing_is_a_line_to_write() -> None:
    assert "pytestmark = pytest.mark.server" in sentence({"postgres", "initdb"})


def test_the_contract_that_the_fake_is_held_to_on_real_spark_is_under_twenty_tests() -> None:
    """`make test` would take as long as it did with all of them: who adds one takes another out."""
    marked = dict(in_the_contract())
    assert 12 <= len(marked) < 20
    # One mark is one test, at its function.
    assert [name for name, decorators in marked.items() if "pytest.mark.parametrize" in decorators] == []
    assert sum(text.count(MARK) for text in texts()) == len(marked)


def in_the_contract() -> Iterator[tuple[str, set[str]]]:
    """The functions that are marked, each with what decorates it."""
    for text in texts():
        for node in ast.walk(ast.parse(text)) if MARK in text else ():
            decorators = {ast.unparse(one).partition("(")[0] for one in getattr(node, "decorator_list", ())}
            if MARK in decorators and isinstance(node, ast.FunctionDef):
                yield node.name, decorators


def texts() -> Iterator[str]:
    """All test files'."""
    for file in Path(__file__).parents[1].rglob("test_*.py"):
        yield file.read_text(encoding="utf-8")
