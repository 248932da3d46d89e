"""Sinks: where metrics are sent to, besides whoever asks for them; each named by a target as on a command line.

    otlp:http://127.0.0.1:4318/v1/metrics     a collector of OpenTelemetry, over HTTP
    lines:metrics.jsonl                       each look as a line of JSON

Packages beside penstock add theirs by the group `penstock.sinks` of their entry points: a function from what stands
behind the colon to a `MetricSink`. What stands there may be a secret: it is never logged.
"""

import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from penstock.errors import ConfigError, choose, told
from penstock.extending import GROUPS, loaded, named
from penstock.notifying.lines import append_lines
from penstock.web.samples import MetricSample, MetricSink

if TYPE_CHECKING:
    from penstock.web.reading import Reader

EVERY_S = 15.0
_FIELD = "--sink"

_log = logging.getLogger("penstock")


@dataclass(frozen=True, slots=True)
class MetricLines:
    """Appends each look to a file, as a line."""

    path: Path

    def send(self, samples: Sequence[MetricSample], at_epoch_s: float) -> None:
        figures = [{"name": one.name, "labels": dict(one.labels), "value": one.in_json} for one in samples]
        line = json.dumps({"at": at_epoch_s, "samples": figures}, allow_nan=False)
        append_lines(self.path, line.encode() + b"\n")


def sinks_of(targets: Sequence[str]) -> tuple[MetricSink, ...]:
    """The sinks that targets name."""
    return tuple(map(sink_of, targets))


def sink_of(target: str) -> MetricSink:
    """The sink that a target names.

    >>> sink_of("lines:/dev/null")
    MetricLines(path=PosixPath('/dev/null'))
    """
    name, colon, rest = target.partition(":")
    theirs = _points()
    known = (*_OURS, *theirs)
    if not colon or not rest or name not in known:
        raise ConfigError(_FIELD, name, f"write otlp:http://… or the like; {choose(name, known)}")
    if name in _OURS:
        return _OURS[name](rest)
    made: MetricSink = loaded(theirs[name], _FIELD)(rest)
    return made


def send_to(reader: "Reader", sink: MetricSink, name: str, stop: Event, every_s: float = EVERY_S) -> None:
    """Send the newest run's figures until told to stop. A sink that fails is said once, and tried again."""
    from penstock.web.metrics import families

    down = False
    while True:
        try:
            sink.send(tuple(samples_of(families(reader.seen("last")))), time.time())
            down = False
        except BaseException as error:  # of the network, of the store, of another's package: sys.exit() too
            if not down:
                _log.warning("figures cannot be sent to %s: %s", name, told(error))
            down = True
        if stop.wait(every_s):
            return


def samples_of(found: Iterable[Any]) -> Iterable[MetricSample]:
    """Prometheus's families, figure by figure."""
    for family in found:
        for one in family.samples:
            yield MetricSample(one.name, one.value, dict(one.labels), family.documentation, family.type == "counter")


def _lines(rest: str) -> MetricSink:
    path = Path(rest)
    try:
        path.open("ab").close()
    except OSError as error:
        raise ConfigError(_FIELD, f"lines:{rest}", f"give a file that can be written ({error.strerror})") from None
    return MetricLines(path)


def _otlp(rest: str) -> MetricSink:
    from penstock.web.otlp import OtlpSink, checked_url

    return OtlpSink(checked_url(rest))


_OURS: dict[str, Callable[[str], MetricSink]] = {"otlp": _otlp, "lines": _lines}


def _points() -> Mapping[str, EntryPoint]:
    return named(GROUPS["sink"])
