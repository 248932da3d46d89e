"""Timelines stay small, and are the same however they are read."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from penstock.store import read_timelines
from penstock.store.memory import MemoryStore
from penstock.store.open import open_store
from penstock.store.timelines import Timelines, moment_of
from tests.recorded import RUN, a_cycle, a_job, a_view


def test_the_oldest_tenth_is_let_go_beyond_the_bound() -> None:
    lines = Timelines(max_moments=20)
    for number in range(21):
        jobs = [a_job("ads")] if number % 2 else [a_job("ads"), a_job("late", threads=number + 2)]
        lines.add(moment_of(a_view(float(number), jobs)))
    assert list(lines.at_s) == [float(number) for number in range(2, 21)]
    late = lines.jobs()[1]
    assert list(late.threads)[:4] == [4, None, 6, None]
    assert len(late.threads) == len(lines.at_s)


def test_what_was_read_does_not_grow_afterwards() -> None:
    lines = Timelines()
    lines.add(moment_of(a_view(0.0)))
    read = lines.jobs()[0]
    lines.add(moment_of(a_view(1.0)))
    assert len(read.utility) == 1


def test_a_run_reads_the_same_however_many_cycles_are_read_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = (a_job("ads"), a_job("fraud", utility=35.0), a_job("fraud", utility=None), a_job("ads", 5.0, threads=6))
    seen = [jobs[:2], jobs[:1], jobs[1:2], (), (jobs[3], jobs[2]), jobs[:2], jobs[3:]]
    kept = MemoryStore()
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        for archive in (kept, store):
            archive.begin(RUN)
            for number, found in enumerate(seen):
                archive.append(a_cycle(10.0 * number, replace(a_view(10.0 * number), jobs=tuple(found))))
        runs = [kept.read_run(RUN.id), store.read_run(RUN.id)]
        monkeypatch.setattr(read_timelines, "AT_A_TIME", 2)
        runs.append(store.read_run(RUN.id))
    told = [(list(run.at_s), run.jobs, run.machines, list(run.possible_utility)) for run in runs]
    assert told[0] == told[1] == told[2]
    assert list(runs[2].job("fraud").utility) == [35.0, None, 35.0, None, None, 35.0, None]
