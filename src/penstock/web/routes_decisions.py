"""Routes to decisions: found by words, tenant, reason and outcome, as JSON or as a table."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from penstock.web.asking import AskedSite, JobName, RunName
from penstock.web.decision_list import Wanted, found, table
from penstock.web.openapi import ERRORS, LOOK
from penstock.web.reading import RECENT
from penstock.web.shapes import DecisionOut, DecisionsOut

router = APIRouter(tags=[LOOK], responses=ERRORS)


def _wanted(
    words: Annotated[str, Query(max_length=200)] = "",
    job: JobName | None = None,
    reason: Annotated[str | None, Query(max_length=40)] = None,
    came: Annotated[str | None, Query(max_length=40)] = None,
) -> Wanted:
    return Wanted(words, job, reason, came)


def _every(site: AskedSite, run: RunName = "last") -> tuple[DecisionOut, ...]:
    return site.reader.decisions(site.reader.gallery(site.reader.find(run)))


Which = Annotated[Wanted, Depends(_wanted)]
Every = Annotated[tuple[DecisionOut, ...], Depends(_every)]


@router.get("/api/decisions")
def decisions(
    every: Every,
    wanted: Which,
    limit: Annotated[int, Query(ge=1, le=1000)] = RECENT,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> DecisionsOut:
    """Decisions, newest first, that match everything that is given; of a run's newest 5,000."""
    return found(every, wanted, limit, offset)


@router.get("/api/decisions.csv", response_class=Response, responses={200: {"content": {"text/csv": {}}}})
def decisions_csv(every: Every, wanted: Which) -> Response:
    """The same as a table for a spreadsheet."""
    text = table(found(every, wanted, len(every), 0).decisions).encode("utf-8", "replace")
    headers = {"content-disposition": 'attachment; filename="decisions.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)
