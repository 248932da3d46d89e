"""Charts as SVG without any script. Drawings stretch with the page; words stand beside them in HTML and do not."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from penstock.core.run import JobTimeline, Run
from penstock.telling.job_summary import JobSummary
from penstock.telling.markup import Markup, joined, tag
from penstock.telling.thin import CycleSlices
from penstock.telling.words import clock, number, percent

COLOURS = 7  # jobs with a colour of their own; the rest share the eighth
_W, _H = 1000.0, 300.0  # units of a drawing, not pixels

_MOST_DRAWN = 1e300  # from there on a round figure above it is none

ChartPoints = Sequence[tuple[float, float]]


def utility_chart(run: Run, cut: CycleSlices) -> Markup:
    """Total utility against its maximum, with a vertical mark for each decision."""
    top = _round_up(max(_drawable((*run.utility, *run.max_utility)), default=0.0) or 1.0)
    values = cut.of(run.utility)
    low = [min(found, default=None) for found in values]
    high = [max(found, default=None) for found in values]
    drawn = joined(
        *(_area(part, top, "band") for part in _bands(cut, low, high)),
        _line(cut, cut.means(run.max_utility), top, "most"),
        _line(cut, cut.means(run.utility), top, "utility"),
        *_marks(run, cut),
        *_acts(run, cut),
    )
    label = f"Total utility over time, at most {number(max(run.max_utility))}"
    kinds = [("swatch-utility", "utility"), ("swatch-most", "its maximum"), ("swatch-mark", "a decision")]
    legend = _legend([*kinds, *([("swatch-act", "an act of a person")] if run.acts else [])])
    return _frame("Utility against its maximum", drawn, _Axes(top, cut, label), legend, _numbers(run, cut))


def threads_chart(run: Run, cut: CycleSlices) -> Markup:
    """Who held how many threads, stacked; where jobs share slots these are weights."""
    bands = _stacked(run, cut)
    top = _round_up(max((value or 0.0 for band in bands for value in band.upper), default=0.0) or 1.0)
    areas = [
        _area(part, top, f"job c{band.colour}", band.name)
        for band in bands
        for part in _bands(cut, band.lower, band.upper)
    ]
    legend = _legend([(f"swatch c{band.colour}", band.name) for band in bands])
    held = "Weight in sharing the slots" if run.pool.weights else "Threads"
    label = f"{held} of each job over time, stacked"
    return _frame(f"{held}, by job", joined(*areas), _Axes(top, cut, label), legend, Markup(""))


def satisfaction_strips(run: Run, cut: CycleSlices, jobs: Sequence[JobSummary]) -> Markup:
    """A strip for each job: whether its intent was met, and where not, how far it fell short."""
    rows = [_strip(job, summary, cut, run.at_s) for job, summary in zip(run.jobs, jobs, strict=True)]
    levels = [("swatch met", "met"), ("swatch u3", "over 75 % of its utility"), ("swatch u2", "over 50 %")]
    levels += [("swatch u1", "over 25 %"), ("swatch u0", "less"), ("swatch none", "no figure")]
    caption = tag("figcaption", "Intents met by each job")
    return tag("figure", caption, _legend(levels), tag("div", *rows, class_="strips"), _time_axis(cut), class_="chart")


@dataclass(frozen=True, slots=True)
class _Axes:
    top: float
    cut: CycleSlices
    label: str


@dataclass(frozen=True, slots=True)
class _Band:
    """One job, or all the small ones together, in the stack."""

    name: str
    colour: int
    lower: Sequence[float | None]
    upper: Sequence[float | None]


def _stacked(run: Run, cut: CycleSlices) -> list[_Band]:
    """The largest jobs by themselves, in their own order, and the rest as one; nothing is drawn over an outage."""
    held = {job.name: _held(job, cut) for job in run.jobs}
    large = sorted(held, key=lambda name: (-sum(value or 0.0 for value in held[name]), name))[:COLOURS]
    layers = [(name, held[name]) for name in held if name in large]
    rest = [held[name] for name in held if name not in large]
    if rest:
        layers.append((f"{len(rest)} other jobs", [_sum(values) for values in zip(*rest, strict=True)]))
    bands: list[_Band] = []
    floor: Sequence[float | None] = [None if part.first == part.end else 0.0 for part in cut.parts]
    for colour, (name, values) in enumerate(layers):
        upper = [_sum(pair) for pair in zip(floor, values, strict=True)]
        bands.append(_Band(name, colour, floor, upper))
        floor = upper
    return bands


def _held(job: JobTimeline, cut: CycleSlices) -> list[float | None]:
    """A job that is not there holds nothing; what it held in an outage nobody knows."""
    means = cut.means(job.threads)
    return [None if part.first == part.end else value or 0.0 for part, value in zip(cut.parts, means, strict=True)]


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _strip(job: JobTimeline, summary: JobSummary, cut: CycleSlices, at_s: Sequence[float]) -> Markup:
    shares = cut.means(job.shares(at_s))
    met = cut.means(job.met)
    levels = [_level(is_met, share) for is_met, share in zip(met, shares, strict=True)]
    rects = [_rect(cut, level, start, end) for level, start, end in _stretches(levels)]
    told = f"{job.name}: intent met {percent(summary.met_share)} of the time"
    drawing = tag("svg", *rects, viewBox=f"0 0 {_W:.0f} 10", preserveAspectRatio="none", role="img", aria_label=told)
    name = tag("span", job.name, class_="name", title=job.intent)
    return tag("div", name, drawing, tag("span", percent(summary.met_share), class_="value"), class_="strip")


def _rect(cut: CycleSlices, level: str, start: int, end: int) -> Markup:
    left, right = cut.place(cut.parts[start].from_s) * _W, cut.place(cut.parts[end - 1].to_s) * _W
    return tag("rect", class_=level, x=f"{left:.1f}", width=f"{right - left:.1f}", y=0, height=10)


def _level(met: float | None, share: float | None) -> str:
    if met is None or share is None:
        return "none"
    return "met" if met == 1.0 else f"u{min(3, int(share * 4))}"


def _stretches(levels: Sequence[str]) -> Iterable[tuple[str, int, int]]:
    """Equal neighbours as one."""
    start = 0
    for index in range(1, len(levels) + 1):
        if index == len(levels) or levels[index] != levels[start]:
            yield levels[start], start, index
            start = index


def _frame(caption: str, drawn: Markup, axes: _Axes, legend: Markup, above: Markup) -> Markup:
    ticks = [axes.top * part / 4 for part in range(5)]
    grid = [tag("line", class_="grid", x1=0, x2=_W, y1=_y(t, axes.top), y2=_y(t, axes.top)) for t in ticks]
    drawing = tag(
        "svg",
        *grid,
        drawn,
        viewBox=f"0 0 {_W:.0f} {_H:.0f}",
        preserveAspectRatio="none",
        role="img",
        aria_label=axes.label,
    )
    labels = [tag("span", number(t), style=f"bottom:{100 * t / axes.top:.1f}%") for t in ticks]
    plot = tag("div", tag("div", *labels, class_="ys"), above, drawing, class_="plot")
    return tag("figure", tag("figcaption", caption), legend, plot, _time_axis(axes.cut), class_="chart")


def _time_axis(cut: CycleSlices) -> Markup:
    length = cut.end_s - cut.start_s
    parts = [tag("span", clock(cut.start_s + length * part / 4), style=f"left:{25 * part}%") for part in range(5)]
    return tag("div", *parts, class_="xs", aria_hidden="true")


def _legend(entries: Iterable[tuple[str, str]]) -> Markup:
    return tag("div", *(tag("span", tag("i", class_=kind), name) for kind, name in entries), class_="legend")


def _marks(run: Run, cut: CycleSlices) -> Iterable[Markup]:
    for index, record in run.told:
        x = f"{cut.place(record.decision.at_s) * _W:.1f}"
        told = f"{index}: {clock(record.decision.at_s)} {record.decision.reason}, {record.decision.why}"
        yield tag("g", tag("title", told), tag("line", x1=x, x2=x, y1=0, y2=_H, class_="mark"))


def _acts(run: Run, cut: CycleSlices) -> Iterable[Markup]:
    for act in run.acts:
        x = f"{cut.place(act.at_s) * _W:.1f}"
        told = f"{clock(act.at_s)} {act.line}"
        yield tag("g", tag("title", told), tag("line", x1=x, x2=x, y1=0, y2=_H, class_="act"))


def _numbers(run: Run, cut: CycleSlices) -> Markup:
    """The decisions' numbers above their marks, where they do not run into each other."""
    last = -1.0
    told: list[Markup] = []
    for index, record in run.told:
        place = cut.place(record.decision.at_s)
        if place - last >= 0.045:
            told.append(tag("a", str(index), href=f"#d{index}", style=f"left:{place * 100:.1f}%"))
            last = place
    return tag("div", *told, class_="numbers")


def _line(cut: CycleSlices, values: Sequence[float | None], top: float, kind: str) -> Markup:
    """A line through what is known, broken where nothing is."""
    path = "".join("M" + "L".join(f"{x:.1f} {_y(value, top)}" for x, value in line) for line in _known(cut, values))
    return tag("path", d=path, class_=kind)


def _bands(cut: CycleSlices, low: Sequence[float | None], high: Sequence[float | None]) -> Iterable[ChartPoints]:
    """Between the lowest and the highest of each slice, for stretches where they are known."""
    for bottom, top in zip(_known(cut, low), _known(cut, high), strict=True):
        yield [*top, *reversed(bottom)]


def _known(cut: CycleSlices, values: Sequence[float | None]) -> list[ChartPoints]:
    """The stretches of neighbouring slices with a value; each slice's value stands until its end."""
    stretches: list[list[tuple[float, float]]] = []
    before: float | None = None
    for part, value in zip(cut.parts, values, strict=True):
        left, right = cut.place(part.from_s) * _W, cut.place(part.to_s) * _W
        if value is not None:
            if before is None:
                stretches.append([])
            else:
                stretches[-1].pop()  # the end of the slice before is the start of this one
            stretches[-1] += [(left, value), (right, value)]
        before = value
    return [tuple(stretch) for stretch in stretches]


def _area(points: ChartPoints, top: float, kind: str, title: str | None = None) -> Markup:
    path = "M" + "L".join(f"{x:.1f} {_y(y, top)}" for x, y in points) + "Z"
    told = tag("title", title) if title is not None else None
    return tag("path", told, d=path, class_=kind) if told else tag("path", d=path, class_=kind)


def _y(value: float, top: float) -> str:
    return f"{_H * (1.0 - min(value, top) / top):.1f}" if value == value else f"{_H:.1f}"


def _drawable(values: Iterable[float]) -> list[float]:
    """Without what an older penstock recorded of a tenant that asked for too much: nothing fits beside it."""
    return [value for value in values if math.isfinite(value) and value <= _MOST_DRAWN]


def _round_up(value: float) -> float:
    """A round figure that is no less, with quarters that are easy to read.

    >>> _round_up(70.0), _round_up(215.0), _round_up(0.7)
    (80.0, 240.0, 0.8)
    """
    size: float = 10.0 ** math.floor(math.log10(value))
    return next(step * size for step in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 5, 6, 8, 10) if value <= step * size * 1.000001)
