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
    rows: str | None = None,
    linger: object = "20ms",
    seed: int = 1,
    start_ms: int | None = None,
    stop: Callable[[], bool] = lambda: False,
    say: Callable[[str], None] = lambda text: None,
) -> "LoadReport":
    """Send rows to a Kafka topic when a rate curve says so, whether or not anybody reads them; an exact account.

    `rate` is in rows a second, for so long, or an array of the rates of each second, as `penstock.workloads.rates`
    makes them. `rows` is a module:function that makes other rows; `start_ms` is the event time of the first, in
    milliseconds since 1970, the present by default. `stop` ends it early; `say` hears when it cannot keep up.
    """
    check_extra("kafka")
    from penstock.engines.kafka.topics import make_topics
    from penstock.loading.rows import row_maker
    from penstock.loading.run import Load, run_load

    seconds = max(1, round(positive_seconds(for_s, "for_s")))
    curve = np.full(seconds, float(rate)) if isinstance(rate, int | float) else rate
    linger_s = positive_seconds(linger, "linger")
    make_topics(bootstrap, [topic], partitions)
    wanted = Load(
        bootstrap,
        topic,
        Schedule.of(curve),
        keys or KeySettings(),
        seed,
        rows=row_maker(rows),
        start_ms=start_ms,
        linger_s=linger_s,
    )
    return run_load(wanted, stop, say)
