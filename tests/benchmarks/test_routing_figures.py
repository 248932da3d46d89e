"""What the routing paper's text says of its figures comes out of the model, or is known not to."""

import pytest
from drifting_pairs import DriftingPairs
from hypothesis import given
from hypothesis import strategies as st
from routing_figures import (
    Finding,
    findings_rerouting,
    findings_synthetic,
    local_share,
    rerouted_case,
    synthetic_pairs,
)
from routing_network import GIGABIT, Network, throughput_rps, worst_local


@pytest.mark.parametrize("finding", findings_synthetic(), ids=lambda finding: f"{finding.figure}: {finding.claim}")
def test_figures_7_to_9_hold(finding: Finding) -> None:
    assert finding.holds, finding.found


def test_figures_13_and_14_hold_on_stable_pairs_of_our_own() -> None:
    first, later = DriftingPairs(windows=2, rows=20_000, loyal=0.4, wander=0.0, renew=0.0).counts()
    findings = findings_rerouting([rerouted_case(first, later, servers) for servers in (2, 4, 6)])
    assert [finding.claim for finding in findings if not finding.holds] == []


def test_the_table_made_from_the_synthetic_rows_keeps_their_locality() -> None:
    assert local_share("locality-aware", 6, 0.6) == pytest.approx(0.6)
    assert local_share("locality-aware", 1, 0.6) == 1.0
    assert synthetic_pairs(6, 0.6).rows == pytest.approx(6000)


@given(st.integers(1, 12), st.floats(0, 1), st.floats(0, 1), st.floats(0, 20_000))
def test_more_locality_never_costs_throughput(servers: int, a: float, b: float, payload: float) -> None:
    low, high = sorted((a, b))
    assert throughput_rps(servers, low, payload) <= throughput_rps(servers, high, payload) * (1 + 1e-9)


def test_a_row_over_a_slow_link_waits_for_it() -> None:
    # 60 % remote of 6 servers at 1 Gb/s: 6 x 125e6 / (0.6 x 12,060 bytes)
    assert throughput_rps(6, 0.4, 12_000, Network(link_bps=GIGABIT)) == pytest.approx(103_648, rel=1e-3)


def test_an_uneven_table_is_as_slow_as_its_busiest_server() -> None:
    assert throughput_rps(6, 1.0, 0.0, imbalance=1.5) == pytest.approx(throughput_rps(6, 1.0, 0.0) / 1.5)


def test_the_worst_case_keeps_only_strangers_together() -> None:
    assert worst_local(6, 0.8) == pytest.approx(0.2 / 5)
    assert worst_local(1, 0.8) == 1.0
