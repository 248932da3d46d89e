"""Two runs side by side, each from its own beginning on: what all had of their utility, and each tenant."""

from collections.abc import Iterable

from penstock.core.documents import mean
from penstock.core.naming import named
from penstock.store.gallery import Gallery
from penstock.store.thinning import Columns, Stretch
from penstock.telling.counterfactuals import points_text
from penstock.telling.words import count, percent, span
from penstock.web.present import series
from penstock.web.reading import Reader
from penstock.web.shapes import SeriesOut
from penstock.web.shapes_reports import CompareJobOut, CompareOut, CompareSideOut

POINTS = 300
NAMED = 3  # tenants
SAME = 0.005  # of the utility that could be had: less is no difference
NOTICED = 0.02  # of the time, or of the utility


def compared(reader: Reader, first: str, second: str) -> CompareOut:
    """Run `first` beside run `second`: ids, names, or `last`."""
    galleries = [reader.gallery(reader.find(name)) for name in (first, second)]
    jobs = [gallery.jobs(Stretch(points=POINTS)) for gallery in galleries]
    asked = [_intents(gallery) for gallery in galleries]
    a, b = (_side(reader, gallery, found) for gallery, found in zip(galleries, jobs, strict=True))
    names = sorted({*jobs[0], *jobs[1]})
    both = tuple(
        _job(name, jobs[0].get(name), jobs[1].get(name), asked[0].get(name), asked[1].get(name)) for name in names
    )
    return CompareOut(a, b, both, tuple(_sentences(a, b, both)))


def _side(reader: Reader, gallery: Gallery, jobs: dict[str, Columns]) -> CompareSideOut:
    totals, length = gallery.totals(Stretch(points=POINTS)), gallery.length()
    decisions = reader.decisions(gallery)
    first_s = length.first_s or 0.0
    pairs = zip(totals.values["utility"], totals.values["possible_utility"], strict=True)
    shares = tuple(utility / most if utility is not None and most else None for utility, most in pairs)
    return CompareSideOut(
        run=reader.whole(gallery),
        length_s=(length.last_s or 0.0) - first_s,
        utility_share=mean(shares),
        met_share=mean(_met(columns) for columns in jobs.values()),
        decisions=len(decisions),
        helped=sum(decision.came == "better" for decision in decisions),
        series=_from_its_start(totals, {"share": shares}, first_s),
    )


def _from_its_start(columns: Columns, values: dict[str, tuple[float | None, ...]], first_s: float) -> SeriesOut:
    return series(Columns(tuple(at_s - first_s for at_s in columns.at_s), values))


def _job(name: str, a: Columns | None, b: Columns | None, asks_a: str | None, asks_b: str | None) -> CompareJobOut:
    return CompareJobOut(
        name=name,
        asks_a=asks_a,
        asks_b=asks_b,
        utility_a=_share(a),
        utility_b=_share(b),
        met_a=_met(a),
        met_b=_met(b),
    )


def _share(columns: Columns | None) -> float | None:
    return None if columns is None else mean(columns.values["share"])


def _met(columns: Columns | None) -> float | None:
    """The share of time in which it is proven: while nobody knew, it is not."""
    if columns is None:
        return None
    pairs = zip(columns.values["met"], columns.values["unseen"], strict=True)
    return mean((met or 0.0) * (1.0 - unseen) if unseen else met for met, unseen in pairs)


def _intents(gallery: Gallery) -> dict[str, str]:
    """What each tenant asked for at the end."""
    newest = gallery.newest()
    return {} if newest is None else {job.name: job.intent.text() for job in newest.view.jobs}


def _sentences(a: CompareSideOut, b: CompareSideOut, jobs: Iterable[CompareJobOut]) -> Iterable[str]:
    one, other = (f"{side.run.name} under {side.run.policy}" for side in (a, b))
    if a.run.id == b.run.id:
        yield f"{one} is compared with itself."
    if a.utility_share is None or b.utility_share is None:
        nobody = " and ".join(name for name, side in ((one, a), (other, b)) if side.utility_share is None)
        yield f"No metrics of {nobody} are recorded, so nothing can be compared."
        return
    gain = b.utility_share - a.utility_share
    shares = f"{percent(b.utility_share)} of the utility that tenants could have instead of {percent(a.utility_share)}"
    brought = "As much utility in both" if abs(gain) < SAME else f"{points_text(gain)} of utility"
    yield f"{brought}: {other} gave {shares} ({one})."
    yield from _of_jobs([job for job in jobs if job.met_a is not None and job.met_b is not None])
    others = [job.name for job in jobs if job.asks_a is None or job.asks_b is None]
    if others:
        yield f"Only one of them had {named(others)}."
    changed = [job.name for job in jobs if job.asks_a and job.asks_b and job.asks_a != job.asks_b]
    if changed:
        yield f"{named(changed)} had other intents, so the shares are of different targets."
    yield f"{span(b.length_s)} with {count(b.decisions, 'decision')} against {span(a.length_s)} with {a.decisions}."


def _of_jobs(jobs: list[CompareJobOut]) -> Iterable[str]:
    ranked = sorted(jobs, key=lambda job: (-abs((job.met_b or 0.0) - (job.met_a or 0.0)), job.name))
    moved = [job for job in ranked if abs((job.met_b or 0.0) - (job.met_a or 0.0)) >= NOTICED]
    told = [f"{job.name} {percent(job.met_b)} of the time instead of {percent(job.met_a)}" for job in moved[:NAMED]]
    if told:
        more = f"; {len(moved) - NAMED} more differ" if len(moved) > NAMED else ""
        yield f"Intents were met by {', '.join(told)}{more}."
    elif jobs:
        yield "Each tenant met its intent as often in both runs."
