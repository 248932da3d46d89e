"""Routes that look: the pages' figures, and the metrics."""

from fastapi import APIRouter, Request, Response

from penstock.planning.registry import policies as all_policies
from penstock.store.thinning import Stretch
from penstock.web.asking import AskedSite, InstantAsked, JobName, PointsAsked, RunName, SpanAsked
from penstock.web.comparing import compared
from penstock.web.incidents import incident_of, incident_out
from penstock.web.metrics import exposition
from penstock.web.openapi import ERRORS, LOOK, OPERATIONS
from penstock.web.reading import POINTS
from penstock.web.shapes import PolicyOut, RunOut
from penstock.web.shapes_control import ActOut, AuditOut, ControlOut
from penstock.web.shapes_fleet import ClusterOut, JobOut, OverviewOut
from penstock.web.shapes_reports import CompareOut, IncidentOut

router = APIRouter(tags=[LOOK], responses=ERRORS)


@router.get("/api/runs")
def runs(site: AskedSite) -> tuple[RunOut, ...]:
    """All recorded runs, newest first."""
    return site.reader.runs()


@router.get("/api/overview")
def overview(
    request: Request,
    site: AskedSite,
    run: RunName = "last",
    span: SpanAsked | None = None,
    points: PointsAsked = POINTS,
) -> OverviewOut:
    """The fleet now and over time (the last `span` seconds, or all), with the newest decisions."""
    return site.reader.overview(site.reader.find(run), span, points, site.may_act(request))


@router.get("/api/policies")
def policies(site: AskedSite) -> tuple[PolicyOut, ...]:
    """The policies that can be asked for. Whoever wants to know is about to ask what-if, which is made ready."""
    site.aside.begin()
    return tuple(PolicyOut(name, entry.about) for name, entry in all_policies().items())


@router.get("/api/job")
def job(
    site: AskedSite,
    job: JobName,
    run: RunName = "last",
    since: InstantAsked = None,
    until: InstantAsked = None,
    points: PointsAsked = 400,
) -> JobOut:
    """One tenant: its figures over time, its operators, its decisions."""
    return site.reader.job(site.reader.find(run), job, Stretch(since, until, points))


@router.get("/api/cluster")
def cluster(
    site: AskedSite,
    run: RunName = "last",
    since: InstantAsked = None,
    until: InstantAsked = None,
    points: PointsAsked = 300,
) -> ClusterOut:
    """The machines, who holds which slots, what is shuffled between them, and where the keys of routed jobs live."""
    return site.reader.cluster(site.reader.find(run), Stretch(since, until, points))


@router.get("/api/compare")
def compare(site: AskedSite, a: RunName, b: RunName = "last") -> CompareOut:
    """Two runs side by side, each from its own beginning on."""
    return compared(site.reader, a, b)


@router.get("/api/incident")
def incident(
    site: AskedSite, job: JobName, run: RunName = "last", since: InstantAsked = None, until: InstantAsked = None
) -> IncidentOut:
    """What happened to one tenant in a part of a run, whom else it hit, why, what was done, and what it cost."""
    return incident_out(incident_of(site.reader.gallery(site.reader.find(run)), job, since, until))


@router.get("/api/acts")
def acts(site: AskedSite, run: RunName = "last") -> tuple[ActOut, ...]:
    """What people asked that the run's controller has heard, with when on the run's clock, oldest first."""
    return site.reader.acts(site.reader.find(run))


@router.get("/api/audit")
def audit(site: AskedSite, run: RunName = "last") -> tuple[AuditOut, ...]:
    """Who did what to the run's controller, newest first; the newest 5,000."""
    return site.reader.audit(site.reader.find(run))


@router.get("/api/control")
def control(request: Request, site: AskedSite, run: RunName = "last") -> ControlOut:
    """How the run's controller stands, and what waits for an answer."""
    return site.reader.control(site.reader.find(run), site.may_act(request))


@router.get("/metrics", tags=[OPERATIONS], response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def metrics(site: AskedSite, run: RunName = "last") -> Response:
    """The newest run's figures for Prometheus."""
    return Response(exposition(site.reader.seen(run)), media_type="text/plain; version=0.0.4; charset=utf-8")
