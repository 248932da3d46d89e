"""An interval holds as often as it says, whatever the errors are."""

from hypothesis import given
from hypothesis import strategies as st

from penstock.analysis.conformal import least_count, within

RATIOS = st.lists(st.floats(0.01, 100.0), min_size=2, max_size=60)


@given(ratios=RATIOS, level=st.sampled_from([0.5, 0.8, 0.9]))
def test_of_errors_in_any_order_the_last_lies_within_the_others_interval_as_often_as_the_level_says(
    ratios: list[float], level: float
) -> None:
    held = []
    for place, last in enumerate(ratios):
        factor = within([*ratios[:place], *ratios[place + 1 :]], level)
        if factor is not None:
            held.append(1.0 / factor - 1e-12 <= last <= factor * (1 + 1e-12))
    assert not held or sum(held) >= level * len(held) - 1e-9


@given(ratios=st.lists(st.floats(0.01, 100.0), max_size=40))
def test_of_too_few_nothing_is_said_and_no_factor_is_below_one(ratios: list[float]) -> None:
    factor = within(ratios, 0.9)
    assert (factor is None) == (len(ratios) < least_count(0.9))
    assert factor is None or factor >= 1.0
