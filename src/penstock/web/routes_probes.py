"""Routes for what watches over this server. They need no token, and tell nothing that would need one."""

from importlib.metadata import version

from fastapi import APIRouter, Response

from penstock.errors import OutageError, PenstockError
from penstock.web.asking import AskedSite
from penstock.web.guard import refusal
from penstock.web.openapi import ERRORS, OPERATIONS
from penstock.web.shapes import HealthOut

router = APIRouter(tags=[OPERATIONS], responses=ERRORS)


@router.get("/health")
async def health() -> HealthOut:
    """200 while the server answers at all: when it does not, start it again."""
    return HealthOut("up", version("penstock"))


@router.get("/ready", response_model=HealthOut)
def ready(site: AskedSite) -> HealthOut | Response:
    """200 while its store can be read, 503 while not: until then send nobody here."""
    try:
        site.store.runs()
    except PenstockError as error:
        remedy = error.remedy if isinstance(error, OutageError) else None
        return refusal(503, "The store cannot be read now.", remedy=remedy)
    return HealthOut("ready", version("penstock"))
