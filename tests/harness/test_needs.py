"""The guard: what starts a server unmarked is seen, whether the test starts it or a child does."""

import subprocess

import pytest

from tests.harness.needs import Watch, sentence


def test_a_program_that_needs_a_mark_is_refused_before_it_starts() -> None:
    watch = Watch()
    with pytest.raises(PermissionError, match=r"starts java .* write `pytestmark = pytest.mark.jvm`"):
        watch.starts(["/usr/bin/java", "-version"])
    assert watch.seen == {"java"}


def test_a_program_in_a_namespace_is_known_too() -> None:
    with pytest.raises(PermissionError, match="spark-class"):
        Watch().starts(["ip", "netns", "exec", "host0", "/opt/spark/bin/spark-class", "Master"])


def test_a_child_that_starts_one_is_seen() -> None:
    watch = Watch({"sleep"})
    watch.starts(["sh"])
    subprocess.run(["sh", "-c", "sleep 2; true"], check=True)
    watch.end()
    assert watch.seen == {"sleep"}


def test_what_a_server_of_other_tests_starts_meanwhile_is_not_this_tests() -> None:
    with subprocess.Popen(["sh", "-c", "read word; sleep 1; true"], stdin=subprocess.PIPE, text=True) as server:
        watch = Watch({"sleep"})
        watch.starts(["sh"])
        assert server.stdin is not None
        server.stdin.write("go\n")
        server.stdin.close()
        subprocess.run(["sh", "-c", "true"], check=True)
        server.wait()
        watch.end()
    assert watch.seen == set()


def test_other_programs_may_be_started() -> None:
    watch = Watch()
    watch.starts(["sh", "-c", "true"])
    subprocess.run(["sh", "-c", "true"], check=True)
    watch.end()
    assert watch.seen == set()


def test_what_is_missing_is_a_line_to_write() -> None:
    assert "pytestmark = pytest.mark.server" in sentence({"postgres", "initdb"})
