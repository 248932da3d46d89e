"""Routes whose answers are simulated: what would help a tenant, and what decisions brought. One at a time, few wait."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from penstock.web.aside import AGAIN_S, FullError
from penstock.web.asking import AskedSite, JobName, RunName
from penstock.web.guard import refusal
from penstock.web.openapi import ERRORS, LOOK
from penstock.web.shapes_simulated import RemediesOut, WithoutOut, WorthOut

router = APIRouter(tags=[LOOK], responses=ERRORS)

DecisionNumber = Annotated[int, Query(ge=1, le=2**53, description="A decision's number in its run, from 1")]
NextNine = Annotated[bool, Query(description="What its target would cost at the next nine, p99 in place of p95")]


@router.get("/api/remedies", response_model=RemediesOut)
def remedies(site: AskedSite, job: JobName, run: RunName = "last", nine: NextNine = False) -> Response:
    """The cheapest change by which a tenant would have what it asks for, tried on the last two minutes' arrivals.

    `whole` is false where nothing is known yet, as while others ask the simulator; `text` says why.
    """
    found = site.simulated.remedies(site.reader.gallery(site.reader.find(run)), job, nine)
    return Response(found, media_type="application/json")


@router.get("/api/without", response_model=WithoutOut)
def without(site: AskedSite, decision: DecisionNumber, run: RunName = "last") -> WithoutOut | Response:
    """How it would have gone without one decision, simulated on the arrivals since, all others as they were.

    503 with `Retry-After` where as many questions wait as may.
    """
    try:
        return site.simulated.without(site.reader.gallery(site.reader.find(run)), decision)
    except FullError as error:
        return refusal(503, str(error), AGAIN_S)


@router.get("/api/worth")
def worth(site: AskedSite, run: RunName = "last") -> WorthOut:
    """What the newest 20 judged decisions brought, each tried by itself.

    One that was not tried yet is tried with each request; ask again as long as some wait.
    """
    return site.simulated.worth(site.reader.gallery(site.reader.find(run)))
