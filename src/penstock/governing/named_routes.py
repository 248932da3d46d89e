"""The routes that a tenants file names, as its modules have them when a driver starts."""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from penstock.config.named import route_named
from penstock.config.tenants import TenantPart, TenantsFile
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.starting import FUNCTION_WITHIN_S, called
from penstock.engines.spark.routing.route import Routing
from penstock.errors import PenstockError

_IS_THERE_WITHIN_S = 1.0  # a module that was imported before


def routed(
    jobs: Sequence[Job], tenants: TenantsFile, within_s: float = FUNCTION_WITHIN_S
) -> tuple[list[Job], list[str]]:
    """The jobs with their routes, and why some were not found.

    To be asked once Spark is there: only then are the tenants' modules found in each life of a driver, and those that
    start Spark find it. One that cannot be imported by now, or hangs, is its tenant's trouble, not the others'.
    """
    parts, found, missing = {part.name: part for part in tenants.jobs}, list[Job](), list[str]()
    until_s = time.monotonic() + within_s
    for job in jobs:
        try:
            route = _route(parts[job.name], until_s) if job.route is None and job.name in parts else job.route
        except PenstockError as error:
            route = None
            missing.append(str(error))
        found.append(replace(job, route=route))
    return found, missing


def _route(part: TenantPart, until_s: float) -> Routing | None:
    """In a thread of its own; behind one that hangs what can be had at once is still found."""
    if part.route is None:
        return None
    within_s, field = max(_IS_THERE_WITHIN_S, until_s - time.monotonic()), f"jobs.{part.name}.route"
    return called(f"{field}: the import of {part.route}", partial(route_named, field, part.route, Routing), within_s)
