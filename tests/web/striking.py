"""Ends the server of the pages, by an error or without any."""

from collections.abc import Callable

import pytest

from penstock.web.server import _PagesServer

Strike = Callable[[BaseException | None], None]


def striking(monkeypatch: pytest.MonkeyPatch) -> Strike:
    """What ends it at its next tick. Sites that other tests share are left alone: they were begun before."""
    tick, begun = _PagesServer.on_tick, _PagesServer.__init__
    strikes: list[BaseException | None] = []
    ours: list[_PagesServer] = []

    def noted(server: _PagesServer, *how: object) -> None:
        begun(server, *how)  # type: ignore[arg-type]
        ours.append(server)

    async def struck(server: _PagesServer, counter: int) -> bool:
        error = strikes.pop() if strikes and server in ours and server.started else False
        if isinstance(error, BaseException):
            raise error
        return error is None or await tick(server, counter)

    monkeypatch.setattr(_PagesServer, "__init__", noted)
    monkeypatch.setattr(_PagesServer, "on_tick", struck)
    return strikes.append
