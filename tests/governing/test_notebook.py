"""What a notebook shows of a governed application."""

import pytest

from penstock.core.run import DecisionRecord
from penstock.errors import LeaseLostError
from penstock.governing.notebook import COLUMNS, frame, html, plot
from tests.recorded import a_decision, a_job, a_view

VIEWS = [a_view(10.0), a_view(20.0), a_view(30.0, [a_job("ads", utility=None), a_job("<b>fraud", utility=70.0)])]


def test_a_table_says_who_has_what_and_what_was_decided() -> None:
    shown = html(VIEWS, [DecisionRecord(a_decision(20.0))], None)
    assert "<td>ads</td><td>p95 latency &lt;= 2s, juice &gt;= 1, recovery &lt;= 1m</td>" in shown
    assert "<td>3s</td><td>90%</td><td>4</td><td>0%</td>" in shown
    assert "map 3 -&gt; 6" in shown


def test_names_are_text_and_an_end_is_said() -> None:
    shown = html(VIEWS, [], LeaseLostError("<another> controller"))
    assert "<b>fraud" not in shown
    assert "&lt;b&gt;fraud" in shown
    assert "<b>governing ended:</b> &lt;another&gt; controller" in shown


def test_before_the_first_round_it_says_that() -> None:
    assert html([], [], None) == "<div><p>No figures yet: the first come with the first round.</p></div>"


def test_a_frame_has_a_row_for_each_tenant_of_each_round() -> None:
    found = frame(VIEWS)
    assert list(found.columns) == list(COLUMNS)
    assert len(found) == 6
    ads = found[found.job == "ads"]
    assert list(ads.at_s) == [10.0, 20.0, 30.0]
    assert list(ads.utility_share)[:2] == [pytest.approx(20 / 35)] * 2
    assert ads.utility_share.isna().tolist() == [False, False, True]


def test_a_plot_has_a_line_for_each_tenant() -> None:
    above, below = plot(VIEWS).axes
    assert [line.get_label() for line in above.get_lines()] == ["ads", "fraud", "<b>fraud"]
    assert len(below.get_lines()) == 3
    assert plot([]).axes
