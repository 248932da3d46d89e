"""`penstock load` as a call."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from penstock.core.arrays import Floats
from penstock.core.units import positive_seconds
from penstock.extras import check_extra
from penstock.loading.keys import KeySettings
from penstock.loading.schedule import Schedule

if TYPE_CHECKING:
    from penstock.loading.report import LoadReport

_BOOTSTRAP = "127.0.0.1:9092"


def load(
    topic: str,
    rate: float | Floats,
    for_s: object = 10.0,
    *,
    bootstrap: str = _BOOTSTRAP,
    partitions: int = 4,
    keys: KeySettings | None = None,
    linger: object = "20ms",
    seed: int = 1,
    stop: Callable[[], bool] = lambda: False,
) -> "LoadReport":
    """Send rows to a Kafka topic when a rate curve says so, whether or not anybody reads them; an exact account.

    `rate` is in rows a second, for so long, or an array of the rates of each second, as `penstock.workloads.rates`
    makes them. `stop` ends it early.
    """
    check_extra("kafka")
    from penstock.engines.kafka.topics import make_topics
    from penstock.loading.run import Load, run_load

    seconds = max(1, round(positive_seconds(for_s, "for_s")))
    curve = np.full(seconds, float(rate)) if isinstance(rate, int | float) else rate
    linger_s = positive_seconds(linger, "linger")
    make_topics(bootstrap, [topic], partitions)
    return run_load(Load(bootstrap, topic, Schedule.of(curve), keys or KeySettings(), seed, linger_s=linger_s), stop)
