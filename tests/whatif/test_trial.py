"""How far the simulator is off is found out on what really happened."""

import pytest

from penstock.whatif.question import Past
from penstock.whatif.trial import tried
from tests.web.living import SHOP
from tests.whatif.line import LINE, NO_LIMIT_S, present

PAST = Past(span_s=60.0, arrivals_rps={}, interval_s=5.0)


def test_what_goes_on_as_it_was_is_off_by_nothing() -> None:
    raw = LINE | {"jobs": [LINE["jobs"][0] | {"threads": {"work": 3}}]}  # type: ignore[index]
    found = tried(present(raw, 60.0), PAST, "static", [(0.0, 1.0), (60.0, 1.0)], {"ads": 1.0}, NO_LIMIT_S)
    assert found is not None
    assert [found.off, found.jobs_off["ads"], found.real_share] == pytest.approx([0.0, 0.0, 1.0], abs=0.01)


def test_what_came_otherwise_is_off_by_the_difference() -> None:
    raw = LINE | {"jobs": [LINE["jobs"][0] | {"threads": {"work": 3}}]}  # type: ignore[index]
    found = tried(present(raw, 60.0), PAST, "static", [(0.0, 1.0), (60.0, 0.0)], {"ads": 0.5}, NO_LIMIT_S)
    assert found is not None
    assert [found.off, found.jobs_off["ads"]] == pytest.approx([0.5, 0.5], abs=0.06)


def test_nothing_is_said_when_there_was_nothing_to_compare_or_no_time() -> None:
    view = present(SHOP | {"duration": "10m"}, 60.0)
    assert tried(view, PAST, "static", [], {}, NO_LIMIT_S) is None
    assert tried(view, PAST, "static", [(0.0, 1.0)], {}, within_s=0.0) is None
