"""Models of simulated operators say what the simulator will do."""

import pytest

from penstock.engines.sim.profiling import profiled
from penstock.engines.sim.spec import SimCluster, SimOperator


def test_one_thread_that_computes_fills_a_core_and_more_do_not_help() -> None:
    model = profiled(SimOperator("work", cpu_s=0.01), SimCluster())
    assert model.rate(1) == pytest.approx(100, rel=0.02)
    assert model.peak.threads == 1
    assert model.cpu(1) == pytest.approx(1.0, rel=0.02)


def test_threads_that_wait_add_up_until_the_core_is_full() -> None:
    model = profiled(SimOperator("lookup", cpu_s=0.001, wait_s=0.099, memory_mb_per_thread=1), SimCluster())
    assert model.rate(8) == pytest.approx(80, rel=0.02)  # each does ten a second
    assert model.peak.rate_rps > 700
    assert model.rate(256) < 1010  # a core does a thousand, less what switching costs
