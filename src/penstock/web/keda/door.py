"""Where KEDA asks: a gRPC server beside the agents' door, which listens as long as its coordinator leads.

    leads --> listens --> answers by what was decided last
    follows --> no listener: whoever connects by name goes to the coordinator that leads

What cannot be said is an error of gRPC, never a number: KEDA then leaves the replicas as they are.
"""

import asyncio
import logging
import resource
import socket
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from penstock.engines.applications.wishes import Wishes
from penstock.errors import ConfigError, OutageError, PenstockError, told
from penstock.threads import BesideThread
from penstock.web.agents_door import AgentTokens
from penstock.web.keda import wire
from penstock.web.keda.answers import KedaQuestion, UnknownNameError, answer, asked_by
from penstock.web.listening import refused
from penstock.web.settings import is_loopback

_LOOK_EVERY_S = 0.5
_STOPS_WITHIN_S = 5.0
_MOST_BYTES = 64 * 1024  # of a question
_MOST_SAID = 500  # characters of why it is refused: of a status beyond some KiB clients tell only that it is too long
_MOST_STREAMS = 1_000  # of all connections: one for each trigger of `external-push`
_MOST_AT_ONCE = 1_500  # streams and questions of all connections: those that are refused are no streams for long
_MOST, _SHARE = 256, 8  # connections: one for each KEDA, in an eighth of the descriptors that the process may have
_OPTIONS = (
    ("grpc.so_reuseport", 0),  # a port that is taken is an error, and not shared
    ("grpc.max_receive_message_length", _MOST_BYTES),
    # Whoever connects and asks nothing leaves room for others: KEDA asks every 30 s unless it is told otherwise.
    ("grpc.server_handshake_timeout_ms", 5_000),
    ("grpc.max_connection_idle_ms", 120_000),
    # Of one connection. KEDA has one for all triggers: its questions find room where it has all streams that there are.
    ("grpc.max_concurrent_streams", 1_200),
)

_log = logging.getLogger("penstock.keda")


@dataclass(frozen=True, slots=True)
class KedaSettings:
    """Where it listens. Beyond loopback each question needs a token of `--new-token` that is for what it asks of."""

    host: str = "127.0.0.1"
    port: int = 0
    tls: tuple[Path, Path] | None = None

    @property
    def tokens_required(self) -> bool:
        """Whether somebody else than this machine's users can ask."""
        return not is_loopback(self.host)


class KedaDoor:
    """Listens while `leads` says so, and `wishes` answers; a ConfigError where its port is taken."""

    def __init__(
        self,
        wishes: Callable[[], Wishes],
        leads: Callable[[], bool],
        tokens: Callable[[], AgentTokens],
        settings: KedaSettings = KedaSettings(),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wishes = wishes
        self._leads = leads
        self._tokens = tokens
        self._settings = settings
        self._clock = clock
        self._shared: tuple[float, Wishes] | None = None
        self._streams = 0
        self.port = _free(settings.host, settings.port)
        self._credentials = None if settings.tls is None else _credentials(*settings.tls)
        self._stop = threading.Event()
        self._thread = BesideThread(self._run, "penstock-keda-door")

    @property
    def most(self) -> int:
        """So many connections there may be; gRPC refuses others before it shakes hands."""
        return min(_MOST, max(16, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // _SHARE))

    @property
    def address(self) -> str:
        """What a trigger's `scalerAddress` is."""
        host = self._settings.host
        return f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"

    @contextmanager
    def open(self) -> Iterator["KedaDoor"]:
        """Listen, whenever it leads, while the block lasts."""
        self._thread.start()
        try:
            yield self
        finally:
            self._stop.set()
            self._thread.join(_STOPS_WITHIN_S)

    def _run(self) -> None:
        asyncio.run(self._follow())

    async def _follow(self) -> None:
        said = ""
        while not self._stop.is_set():
            if self._leads():
                try:
                    await self._listen()
                    said = ""
                except Exception as error:  # gRPC has kinds of its own; the next term is tried all the same
                    if told(error) != said:
                        _log.warning("KEDA is not listened to at %s: %s", self.address, told(error))
                    said = told(error)
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _listen(self) -> None:
        """One term."""
        options = (*_OPTIONS, ("grpc.max_allowed_incoming_connections", self.most))
        server = grpc.aio.server(options=options, maximum_concurrent_rpcs=_MOST_AT_ONCE)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(wire.SERVICE, self._handlers()),))
        if self._credentials is None:
            server.add_insecure_port(self.address)
        else:
            server.add_secure_port(self.address, self._credentials)
        await server.start()
        try:
            while self._leads() and not self._stop.is_set():
                await asyncio.sleep(_LOOK_EVERY_S)
        finally:
            await server.stop(1.0)

    def _handlers(self) -> dict[str, Any]:
        return {
            "IsActive": grpc.unary_unary_rpc_method_handler(self._is_active),
            "StreamIsActive": grpc.unary_stream_rpc_method_handler(self._stream_is_active),
            "GetMetricSpec": grpc.unary_unary_rpc_method_handler(self._spec),
            "GetMetrics": grpc.unary_unary_rpc_method_handler(self._metrics),
        }

    # What KEDA calls

    async def _is_active(self, raw: bytes, context: Any) -> bytes:
        """Whether anything is wanted at all."""
        return await _answered(context, lambda: self._active(raw, self._wishes))

    async def _stream_is_active(self, raw: bytes, context: Any) -> AsyncIterator[bytes]:
        """The same at once, and whenever it changes; beyond so many streams KEDA asks `IsActive` at its intervals."""
        if self._streams >= _MOST_STREAMS:
            why = f"{_MOST_STREAMS} streams are open, which is the most: use a trigger of type external"
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, why)
        self._streams += 1
        try:
            async for changed in self._changes(raw, context):
                yield changed
        finally:
            self._streams -= 1

    async def _changes(self, raw: bytes, context: Any) -> AsyncIterator[bytes]:
        last: bytes | None = None
        while True:
            now = await _answered(context, lambda: self._active(raw, self._of_a_moment))
            if now != last:
                yield now
            last = now
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _spec(self, raw: bytes, context: Any) -> bytes:
        """The metric, and how much of it one replica is for; who it is asked of need not report yet."""

        def found() -> bytes:
            asked = asked_by(wire.read_object(raw).metadata)
            self._pattern(asked)
            return wire.spec(asked.metric, asked.per_replica)

        return await _answered(context, found)

    async def _metrics(self, raw: bytes, context: Any) -> bytes:
        """The number."""

        def found() -> bytes:
            question = wire.read_asked(raw)
            asked = asked_by(question.of.metadata)
            if question.metric != asked.metric:
                raise UnknownNameError(f"there is no metric {question.metric[:100]!r} here; this one is {asked.metric}")
            return wire.value(asked.metric, self._number(asked, self._wishes))

        return await _answered(context, found)

    def _active(self, raw: bytes, known: Callable[[], Wishes]) -> bytes:
        return wire.active(self._number(asked_by(wire.read_object(raw).metadata), known) > 0)

    def _of_a_moment(self) -> Wishes:
        """What is wanted, worked out once for all streams that look within a moment: each trigger has one."""
        now_s = self._clock()
        if self._shared is None or now_s - self._shared[0] >= _LOOK_EVERY_S:
            self._shared = (now_s, self._wishes())
        return self._shared[1]

    def _number(self, asked: KedaQuestion, known: Callable[[], Wishes]) -> float:
        pattern = self._pattern(asked)
        wishes = known()
        if pattern is None:
            return answer(asked, wishes)
        # Whoever is not told of an application is told the same as if there were none of that name.
        theirs = tuple(wish for wish in wishes.all if fnmatchcase(wish.application, pattern))
        return answer(asked, replace(wishes, all=theirs))

    def _pattern(self, asked: KedaQuestion) -> str | None:
        """The applications that may be asked for; None where everybody may ask for all."""
        if not self._settings.tokens_required:
            return None
        pattern = self._tokens().pattern_of(f"Bearer {asked.token}")
        if pattern is None:
            needs = "a token is needed: tokenFromEnv; see penstock coordinate --new-token"
            raise _RefusedError(grpc.StatusCode.UNAUTHENTICATED, needs)
        if (asked.kind == "fleet" and pattern != "*") or (
            asked.kind == "application" and not fnmatchcase(asked.name, pattern)
        ):
            what = f"{asked.kind} {asked.name}"
            raise _RefusedError(grpc.StatusCode.PERMISSION_DENIED, f"this token is for {pattern}, not for {what}")
        return pattern


class _RefusedError(PenstockError):
    def __init__(self, code: grpc.StatusCode, why: str) -> None:
        self.code = code
        super().__init__(why)


async def _answered(context: Any, found: Callable[[], bytes]) -> bytes:
    """The answer, or the status that says why there is none."""
    try:
        return found()
    except _RefusedError as error:
        code, why = error.code, str(error)
    except (ConfigError, wire.MessageError) as error:
        code, why = grpc.StatusCode.INVALID_ARGUMENT, str(error)
    except UnknownNameError as error:
        code, why = grpc.StatusCode.NOT_FOUND, str(error)
    except OutageError as error:
        code, why = grpc.StatusCode.UNAVAILABLE, str(error)
    aborted: Awaitable[bytes] = context.abort(code, why[:_MOST_SAID])
    return await aborted  # it raises


def _free(host: str, port: int) -> int:
    """The port, which nobody listens at; gRPC would tell only that it could not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((host, port))
        except OSError as error:
            raise refused(error, host, port, "--keda-host", "--keda") from None
        return int(tried.getsockname()[1])


def _credentials(certificate: Path, key: Path) -> Any:
    try:
        return grpc.ssl_server_credentials([(key.read_bytes(), certificate.read_bytes())])
    except OSError as error:
        raise ConfigError("--tls-certificate", str(error.filename), "it cannot be read; give PEM files") from None
