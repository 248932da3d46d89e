"""METIS computes in a process of its own: signals are heard meanwhile, and neither process is the other's end."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from penstock.errors import EngineError
from penstock.local import processes
from penstock.local.cutting import Cutter
from penstock.local.cutting_process import cut
from tests.local.graphs import ring
from tests.patience import eventually, patience_s

ENDLESS = 1_000_000  # tries, of 30 ms each


@pytest.fixture
def cutter() -> Iterator[Cutter]:
    found = Cutter()
    yield found
    found.end()


@contextmanager
def cutting_on(thread: str) -> Iterator[tuple["subprocess.Popen[str]", int]]:
    """A program that cuts a graph for hours, and the id of the process that it asks."""
    command = [sys.executable, "-m", "tests.local.cutting_on", thread, str(ENDLESS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as program:
        assert program.stdout is not None
        try:
            yield program, int(program.stdout.readline())
        finally:
            program.kill()


def pid_of(cutter: Cutter) -> int:
    cutter.cut(ring(9))
    assert cutter.pid is not None
    return cutter.pid


def gone(pid: int) -> bool:
    return processes.start_ticks(pid) is None


def computes(pid: int) -> bool:
    """Whether METIS does: the process ends with its standard input then."""
    told = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/fdinfo/0").read_text().splitlines())
    return bool(int(told["flags"], 8) & os.O_ASYNC)


def signalled(pid: int, number: signal.Signals) -> None:
    eventually(lambda: computes(pid))
    os.kill(pid, number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("thread", ["main", "another"])
def test_a_signal_while_metis_computes_is_heard_at_once_on_any_thread(thread: str, number: signal.Signals) -> None:
    with cutting_on(thread) as (program, aside):
        eventually(lambda: computes(aside))
        program.send_signal(number)
        assert program.wait(patience_s()) == -number
        eventually(lambda: gone(aside))


def test_metis_computes_no_longer_for_somebody_who_was_killed() -> None:
    with cutting_on("another") as (program, aside):
        eventually(lambda: computes(aside))
        program.kill()
        eventually(lambda: gone(aside))


def test_the_cuts_are_those_that_metis_makes_in_this_process_and_the_next_graph_is_cut_by_the_same_one(
    cutter: Cutter,
) -> None:
    assert np.array_equal(cutter.cut(ring(500, 3)), cut(ring(500, 3)))
    first = cutter.pid
    assert np.array_equal(cutter.cut(ring(90, 2)), cut(ring(90, 2)))
    assert cutter.pid == first


def test_one_that_ended_meanwhile_is_started_again(cutter: Cutter) -> None:
    cutter.cut(ring(9))
    assert cutter._process is not None
    cutter._process.kill()
    cutter._process.wait()
    assert cutter.cut(ring(9)).shape == (1, 9)


def test_one_that_stands_still_is_ended_and_it_is_said_what_to_do(cutter: Cutter) -> None:
    first = pid_of(cutter)
    os.kill(first, signal.SIGSTOP)
    with pytest.raises(EngineError, match=r"^METIS has not cut the graph of keys within 1 s, and was ended; the "):
        cutter.cut(ring(9), within_s=1.0)
    assert gone(first)
    assert cutter.cut(ring(9)).shape == (1, 9)


def test_one_that_is_killed_while_it_computes_is_an_error_that_says_what_to_do(cutter: Cutter) -> None:
    first = pid_of(cutter)
    killing = threading.Thread(target=signalled, args=(first, signal.SIGKILL))
    killing.start()
    with pytest.raises(EngineError, match=r"^METIS ended .* \(Killed\); if memory is short, give it more, or else the"):
        cutter.cut(ring(20_000, ENDLESS))
    killing.join()


def test_who_ends_it_politely_gets_no_useless_cut(cutter: Cutter) -> None:
    """METIS makes of a SIGTERM that all vertices are in one part, and no error."""
    first, graph, told = pid_of(cutter), ring(20_000, 30), "(Terminated)"
    expected = cut(graph)
    ending = threading.Thread(target=signalled, args=(first, signal.SIGTERM))
    ending.start()
    while cutter.pid == first and ending.is_alive():
        try:
            assert np.array_equal(cutter.cut(graph), expected)
        except EngineError as error:
            told = str(error)
    assert "(Terminated)" in told
    ending.join()


def test_one_that_cannot_start_is_an_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EngineError, match=r"\(exit code 1\)"):
        Cutter("penstock.local.nothing").cut(ring(9))
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(EngineError, match=r"none could be started \(No such file or directory\); allow more processes"):
        Cutter().cut(ring(9))


def test_what_metis_refuses_is_told_and_the_process_stays(cutter: Cutter) -> None:
    with pytest.raises(EngineError, match=r"^METIS could not cut the graph of keys \(RuntimeError"):
        cutter.cut(ring(9)._replace(shares=np.array([1.0, 0.0, 0.0])))
    first = cutter.pid
    assert cutter.cut(ring(9)).shape == (1, 9)
    assert cutter.pid == first


def test_a_process_that_is_forked_asks_one_of_its_own() -> None:
    code = (
        "import os\n"
        "from penstock.local import cutting\n"
        "from tests.local.graphs import ring\n"
        "cutting.cut_aside(ring(9))\n"
        "forked, first = os.fork(), cutting._cutter.pid\n"
        "cutting.cut_aside(ring(9))\n"
        "print(first, cutting._cutter.pid, flush=True)\n"
        "if forked: assert os.waitpid(forked, 0)[1] == 0\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    forked, parent = (line.split() for line in sorted(done.stdout.splitlines(), reverse=True))
    assert done.stderr == ""
    assert forked[0] == "None" != forked[1] != parent[1]
    assert parent[0] == parent[1]
