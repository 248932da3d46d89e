"""What used the machine is told apart: ours by name, everybody else, and what the host took."""

import os

import pytest
from machine_use import Process, Reading, cpu_line, process, read_machine, use_between, used_by

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def test_the_first_line_of_proc_stat_is_busy_idle_and_stolen_time() -> None:
    words = [str(seconds * TICKS_PER_S) for seconds in (10, 1, 4, 50, 2, 0, 3, 7, 0, 0)]
    # user 10 + nice 1 + system 4 + interrupts 0 + 3; idle 50 + 2 waiting for disks
    assert cpu_line(f"cpu  {' '.join(words)}") == (18.0, 52.0, 7.0)


def test_a_process_may_have_any_name() -> None:
    ticks = TICKS_PER_S
    found = process(f"42 (a (b) c d) S 7 1 1 0 -1 0 0 0 0 0 {3 * ticks} {ticks} {2 * ticks} 0 20 0 1 0 100")
    assert found == Process(42, 7, 6.0)


def test_what_a_named_process_started_is_its_own_but_for_those_with_names_themselves() -> None:
    found = [Process(1, 0, 100.0), Process(10, 1, 1.0), Process(11, 10, 2.0), Process(12, 11, 4.0), Process(20, 1, 8.0)]
    assert used_by({10: "penstock", 11: "spark", 99: "gone"}, found) == {"penstock": 1.0, "spark": 6.0, "gone": 0.0}


def test_cores_are_told_apart() -> None:
    cores = os.cpu_count() or 1
    before = Reading(busy_s=100.0, idle_s=100.0, steal_s=10.0, load=1.0, processes_s={"spark": 50.0})
    after = Reading(
        busy_s=100.0 + 6.0 * cores,
        idle_s=100.0 + 3.0 * cores,
        steal_s=10.0 + cores,
        load=4.0,
        processes_s={"spark": 55},
    )
    use = use_between(before, after)  # ten seconds of all cores
    assert use.cores == {"spark": pytest.approx(0.5)}
    assert use.others == pytest.approx(0.6 * cores - 0.5)
    assert use.idle == pytest.approx(0.3 * cores)
    assert use.steal == pytest.approx(0.1)
    assert use.load == 4.0


def test_this_process_is_found() -> None:
    assert read_machine({os.getpid(): "me"}).processes_s["me"] > 0
