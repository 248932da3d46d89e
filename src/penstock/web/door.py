"""The door: at most so many connections at once. Whoever says nothing goes first when others want to come in.

Connections cost their makers nothing and us a descriptor each, which a controller in the same process needs for its
JVM and its store. So they are counted from the moment they are accepted, before any handshake. One that is being
answered stays; the others go in the order in which they were last of use, first those that never asked for anything: a
crowd of those may come in the moment that a reader or an agent waits before it asks again.
"""

import asyncio
import errno
import logging
import os
import resource
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEARD_BY = 24  # turns of asyncio: it takes five from a connection that is accepted to a request that is being answered
_WAITING = 1024  # before the door, with the kernel
SHARE = 4  # of the descriptors that the process may have, connections take one in so many
_TOLD_EVERY_S = 60.0
_NO_MORE = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

_log = logging.getLogger("penstock.web")

Peer = tuple[str, int]


@dataclass(slots=True)
class _Visitor:
    """One connection. `asked` are the requests of it that are being answered."""

    connection: socket.socket
    since_s: float
    asked: int = 0


_Visitors = OrderedDict[Peer, _Visitor]


class Door(socket.socket):
    """A listening socket that asyncio accepts from; see `accept`.

    A connection may be silent for `silent_s`: say nothing, not all of its request, or leave our words where they are.
    """

    def __init__(
        self,
        family: int,
        most: int,
        silent_s: float,
        clock: Callable[[], float] = time.monotonic,
        share: int = SHARE,
    ) -> None:
        super().__init__(family, socket.SOCK_STREAM)
        self.silent_s = silent_s
        self._most = min(most, max(16, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // share))
        self._clock = clock
        self._strangers: _Visitors = OrderedDict()  # none of whose requests was answered yet
        self._known: _Visitors = OrderedDict()
        self._spare: int | None = None
        self._told_s = float("-inf")

    @property
    def most(self) -> int:
        """So many connections there may be."""
        return self._most

    @property
    def at_once(self) -> int:
        """So many may be accepted in one turn: in a crowd as many go, and each has to have been heard before."""
        return max(1, self._for_strangers // _HEARD_BY)

    @property
    def _for_strangers(self) -> int:
        return self._most - self._most // 2

    def listen(self, backlog: int = _WAITING) -> None:
        """Let others come; asyncio says `at_once` here, which is another matter."""
        super().listen(max(backlog, _WAITING))

    def accept(self) -> tuple[socket.socket, Peer]:
        """The next connection; BlockingIOError where there is none, or none can be had."""
        if self._spare is None:
            self._spare = os.open(os.devnull, os.O_RDONLY)
        try:
            connection, address = super().accept()
        except OSError as error:
            if error.errno not in _NO_MORE:
                raise
            self._turn_one_away()
            raise BlockingIOError from None
        peer = _peer(address)
        self._forget(peer)  # one that has gone had the same port
        self._strangers[peer] = _Visitor(connection, self._clock())
        self._make_room()
        return connection, address

    def close(self) -> None:
        """Let nobody in any more; whoever is inside stays."""
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None
        super().close()

    def let_go_silent(self) -> None:
        """Part with those that have been silent for too long."""
        self._forget_gone()
        until_s = self._clock() - self.silent_s
        for peer in [peer for peer, one in self._by_turn() if not one.asked and one.since_s < until_s]:
            self.let_go(peer)

    def let_go(self, peer: Peer) -> None:
        """End that connection; its transport then finds it so, and closes it."""
        visitor = self._forget(peer)
        if visitor is not None:
            with suppress(OSError):  # it has gone by itself
                visitor.connection.shutdown(socket.SHUT_RDWR)

    def let_all_go(self) -> None:
        """End all connections, for nobody is left to answer."""
        for peer in [peer for peer, _ in self._by_turn()]:
            self.let_go(peer)

    @contextmanager
    def answering(self, peer: Peer) -> Iterator[None]:
        """Meanwhile that connection may stay."""
        visitor = self._known.get(peer) or self._strangers.get(peer)
        if visitor is None:  # let go already
            yield
            return
        visitor.asked += 1
        try:
            yield
        finally:
            visitor.asked -= 1
            self.of_use(peer)

    def of_use(self, peer: Peer) -> None:
        """That connection has just been of use: others go before it."""
        visitor = self._forget(peer)
        if visitor is not None:
            visitor.since_s = self._clock()
            self._known[peer] = visitor

    def _make_room(self) -> None:
        if self._inside > self._most:
            self._forget_gone()
        while self._inside > self._most:
            # The newest is among them: where all others are being answered it is the one that goes.
            self.let_go(next(peer for peer, one in self._by_turn() if not one.asked))

    @property
    def _inside(self) -> int:
        return len(self._strangers) + len(self._known)

    def _by_turn(self) -> Iterator[tuple[Peer, _Visitor]]:
        """All, as they have to go one after the other: those who once asked for something leave half of all places."""
        first, then = self._strangers, self._known
        if len(first) <= self._for_strangers:
            first, then = then, first
        return chain(first.items(), then.items())

    def _forget(self, peer: Peer) -> _Visitor | None:
        return self._strangers.pop(peer, None) or self._known.pop(peer, None)

    def _forget_gone(self) -> None:
        for peer in [peer for peer, one in self._by_turn() if one.connection.fileno() < 0]:
            self._forget(peer)

    def _turn_one_away(self) -> None:
        """The process has no descriptor left: one that was kept for this takes the newest connection, and ends it.

        Left where it is, it would wake asyncio again at once, with a traceback in the log each time.
        """
        if self._clock() - self._told_s >= _TOLD_EVERY_S:
            self._told_s = self._clock()
            _log.error("no descriptors are left in this process: connections are turned away")
        if self._spare is None:
            return
        os.close(self._spare)
        self._spare = None
        with suppress(OSError):
            super().accept()[0].close()
        with suppress(OSError):  # somebody else was quicker; the next call tries again
            self._spare = os.open(os.devnull, os.O_RDONLY)


class Attended:
    """ASGI around the whole site: who is being answered stays, who does not go on with its request or does not take
    the answer goes."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope.get("client"):
            await self._app(scope, receive, send)
            return
        peer = _peer(scope["client"])
        with self._door.answering(peer):
            await self._app(scope, _in_time(receive, self._door.silent_s), self._taken(send, peer))

    def _taken(self, send: Send, peer: Peer) -> Send:
        async def taken(message: Message) -> None:
            try:
                async with asyncio.timeout(self._door.silent_s):
                    await send(message)
            except TimeoutError:
                self._door.let_go(peer)

        return taken


def _in_time(receive: Receive, within_s: float) -> Receive:
    """A request of which no more comes counts as one whose sender has left."""
    until_s = asyncio.get_running_loop().time() + within_s
    whole = False

    async def in_time() -> Message:
        nonlocal whole
        if whole:  # all that can come now is that the other side leaves, hours later perhaps
            return await receive()
        try:
            async with asyncio.timeout_at(until_s):
                message = await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        whole = not message.get("more_body", False)
        return message

    return in_time


def _peer(address: tuple[str, int]) -> Peer:
    host, port = address[:2]
    return str(host), int(port)
