"""What routes are asked with: the site behind them, and parameters that several of them take."""

from typing import Annotated

from fastapi import Depends, Query, Request

from penstock.web.state import State


def _site(request: Request) -> State:
    found = request.app.state.site
    assert isinstance(found, State)
    return found


Site = Annotated[State, Depends(_site)]
RunName = Annotated[
    str, Query(max_length=300, description="A run's id or name; `last` is the newest", examples=["last"])
]
JobName = Annotated[str, Query(max_length=300, description="A tenant's name", examples=["fraud"])]
Span = Annotated[float, Query(gt=0, le=1e12, allow_inf_nan=False)]
Moment = Annotated[float | None, Query(ge=-1e12, le=1e12, allow_inf_nan=False)]
Points = Annotated[int, Query(ge=10, le=2000)]
