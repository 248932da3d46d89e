"""What routes are asked with: the site behind them, and parameters that several of them take."""

from typing import Annotated

from fastapi import Depends, Query, Request

from penstock.web.state import SiteState


def _site(request: Request) -> SiteState:
    found = request.app.state.site
    assert isinstance(found, SiteState)
    return found


AskedSite = Annotated[SiteState, Depends(_site)]
RunName = Annotated[
    str, Query(max_length=300, description="A run's id or name; `last` is the newest", examples=["last"])
]
JobName = Annotated[str, Query(max_length=300, description="A tenant's name", examples=["fraud"])]
SpanAsked = Annotated[float, Query(gt=0, le=1e12, allow_inf_nan=False)]
InstantAsked = Annotated[float | None, Query(ge=-1e12, le=1e12, allow_inf_nan=False)]
PointsAsked = Annotated[int, Query(ge=10, le=2000)]
