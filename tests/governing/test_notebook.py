"""What a notebook shows of a governed application."""

from html import escape

import pytest

from penstock.core.run import DecisionRecord
from penstock.governing.displays import Displays, MediaBundle
from penstock.governing.notebook import COLUMNS, Ending, frame, html, plot, text
from tests.recorded import a_decision, a_job, a_view

ENDED = Ending(1_795_406_706.0, 31.0, "<another> controller took over")
WHEN_AND_WHY = "at 2026-11-23 04:05:06 UTC, after 31 s: <another> controller took over"
ENDS = f"Governing ended {WHEN_AND_WHY}. What is shown is as it was then."
VIEWS = [a_view(10.0), a_view(20.0), a_view(30.0, [a_job("ads", utility=None), a_job("<b>fraud", utility=70.0)])]


def test_a_table_says_who_has_what_and_what_was_decided() -> None:
    shown = html(VIEWS, [DecisionRecord(a_decision(20.0))], None)
    assert "<td>ads</td><td>p95 latency &lt;= 2s, juice &gt;= 1, recovery &lt;= 1m</td>" in shown
    assert "<td>3s</td><td>90%</td><td>4</td><td>0%</td>" in shown
    assert "map 3 -&gt; 6" in shown


def test_names_are_text() -> None:
    shown = html(VIEWS, [], None)
    assert "<b>fraud" not in shown
    assert "&lt;b&gt;fraud" in shown


def test_once_governing_has_ended_when_and_why_come_first_and_no_tenant_is_said_to_be_well() -> None:
    shown = html(VIEWS[:2], [], ENDED)
    assert shown.startswith(f"<div><p><b>{escape(ENDS)}</b></p>")
    assert [shown.count(f"<td>{cell}</td>") for cell in ("fine", "was fine", "missing", "was missing")] == [0, 1, 0, 1]
    assert html([], [], ENDED) == f"<div><p><b>{escape(ENDS)}</b></p></div>"


def test_before_the_first_round_it_says_that() -> None:
    assert html([], [], None) == "<div><p>No figures yet: the first come with the first round.</p></div>"


def test_where_there_are_no_pages_it_is_lines() -> None:
    headline, _, ads, *_ = text(VIEWS, None).splitlines()
    assert headline.startswith("30 s governed")
    assert ads == "ads | p95 latency <= 2s, juice >= 1, recovery <= 1m | blind | 3s | 90% | 4 | 0%"
    assert text([], None) == "No figures yet: the first come with the first round."


def test_in_lines_an_end_comes_first_too() -> None:
    end, _, _, *tenants = text(VIEWS, ENDED).splitlines()
    assert end == ENDS
    assert [line.split(" | ")[2] for line in tenants] == ["was blind", "was fine"]
    assert text([], ENDED) == ENDS


class Cell:
    """Where something is shown. A page that is gone says no."""

    def __init__(self) -> None:
        self.shown: list[MediaBundle] = []
        self.gone = False

    def update(self, bundle: MediaBundle, raw: bool) -> None:
        if self.gone:
            raise OSError("no such page")
        self.shown.append(bundle)


def test_every_place_follows_and_one_that_is_gone_hinders_no_other() -> None:
    cells = [Cell(), Cell()]
    there = iter(cells)
    displays = Displays(lambda bundle: next(there))
    displays.add({"text/plain": "0 s"})
    displays.add({"text/plain": "0 s"})
    cells[0].gone = True
    displays.show(lambda: {"text/plain": "10 s"})
    displays.show(lambda: {"text/plain": "20 s"})
    assert cells[1].shown == [{"text/plain": "10 s"}, {"text/plain": "20 s"}]
    cells[0].gone = False
    displays.show(lambda: {"text/plain": "30 s"})
    assert cells[0].shown == []


def test_one_that_newer_ones_push_out_while_it_is_found_gone_hinders_no_other() -> None:
    class Crowded(Cell):
        def update(self, bundle: MediaBundle, raw: bool) -> None:
            for _ in range(3):
                displays.add({})
            raise OSError("no such page")

    cells = [Crowded(), Cell(), *(Cell() for _ in range(3))]
    there = iter(cells)
    displays = Displays(lambda bundle: next(there))
    displays.add({})
    displays.add({})
    displays.show(lambda: {"text/plain": "10 s"})
    assert cells[1].shown == [{"text/plain": "10 s"}]


def test_nothing_is_made_where_nobody_looks_and_what_cannot_be_made_ends_nothing() -> None:
    Displays().show(lambda: pytest.fail("it was made"))
    cell = Cell()
    displays = Displays(lambda bundle: cell)
    displays.add({})
    displays.show(lambda: {"text/plain": str(1 / 0)})
    displays.show(lambda: {"text/plain": "well again"})
    assert cell.shown == [{"text/plain": "well again"}]


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


def test_a_plot_shows_any_name_as_it_is() -> None:
    names = [r"$\nothing$", "_quiet", "a$b"]
    found = plot([a_view(10.0, [a_job(name) for name in names])])
    assert found._repr_png_().startswith(b"\x89PNG")
    legend = found.axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [r"\$\nothing\$", " _quiet", r"a\$b"]


def test_a_plot_is_seen_in_a_notebook_that_never_imported_pyplot() -> None:
    assert plot(VIEWS)._repr_png_().startswith(b"\x89PNG")
