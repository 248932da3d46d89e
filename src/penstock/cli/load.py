"""`penstock load`: rows along a rate curve into a Kafka topic, counted exactly."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.cli.out_file import out_option
from penstock.cli.output import say, write_json
from penstock.core.units import positive, positive_seconds
from penstock.errors import ConfigError

if TYPE_CHECKING:
    from penstock.core.arrays import Floats
    from penstock.loading.report import LoadReport

EXAMPLE = """
\b
Examples:
  penstock load --topic rows --rate 50000 --for 1m
  penstock load --topic rows --rate 1000 --spike 3,20s,40s --for 1m --json -
  penstock load --topic rows --rate 5000 --for 10m \\
    --trace requests.csv --trace-step 1m --speed 60
"""


@click.command("load", epilog=EXAMPLE)
@click.option("--bootstrap", default="127.0.0.1:9092", show_default=True, help="The broker's address.")
@click.option("--topic", required=True, help="Topic to write to; created if missing.")
@click.option("--partitions", default=4, show_default=True, help="Partitions of a created topic.")
@click.option("--rate", type=float, required=True, help="Rows per second: the mean, or the rate before a spike.")
@click.option("--for", "for_", required=True, help="How long, such as 10m.")
@click.option("--spike", help="FACTOR,FROM,TO: FACTOR times the rate between these times, such as 3,20s,40s.")
@click.option("--sine", help="AMPLITUDE,PERIOD: rows per second above and below the rate, such as 500,1m.")
@click.option("--trace", type=click.Path(path_type=Path), help="CSV file whose last column is the shape of the curve.")
@click.option("--trace-step", default="1s", show_default=True, help="Time between two rows of the trace.")
@click.option("--speed", default=1.0, show_default=True, help="Replay the trace this many times faster.")
@click.option("--keys", default=1000, show_default=True, help="Number of distinct keys.")
@click.option("--zipf", default=0.0, show_default=True, help="Skew of the keys: Zipf's exponent. 0: uniform.")
@click.option("--pairs", default=100, show_default=True, help="Number of distinct second keys; each row has one.")
@click.option("--agreement", default=0.8, show_default=True, help="Share of rows whose two keys are correlated.")
@click.option("--rows", "rows_by", help="module:function that makes the rows; see penstock.loading.rows.")
@click.option(
    "--linger", default="20ms", show_default=True, help="How long rows wait for one another to share a request."
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of the keys.")
@click.option("--start-ms", type=int, help="Event time of the first row, in ms since 1970. Default: now.")
@out_option("--json", "json_out", help="Write the account as JSON to this file; - is standard output.")
def load(topic: str, partitions: int, json_out: str | None, **options: Any) -> None:
    """Send rows to a Kafka topic along a rate curve, no matter how fast they are read.

    It ends with an exact account: rows sent, rows confirmed, rows by key, and the topic's offsets before and after.
    If it cannot keep up, it says so and sends as fast as it can; it drops nothing. It exits with 1 if rows failed.
    """
    from penstock.engines.kafka.topics import make_topics
    from penstock.loading.keys import KeySettings
    from penstock.loading.rows import row_maker
    from penstock.loading.run import Load, run_load
    from penstock.loading.schedule import Schedule

    wanted = Load(
        bootstrap=options["bootstrap"],
        topic=topic,
        schedule=Schedule.of(_curve(options)),
        keys=KeySettings(options["keys"], options["zipf"], options["pairs"], options["agreement"]),
        seed=options["seed"],
        rows=row_maker(options["rows_by"]),
        start_ms=options["start_ms"],
        linger_s=positive_seconds(options["linger"], "--linger"),
    )
    make_topics(wanted.bootstrap, [topic], partitions)
    with _told_to_stop() as told:
        report = run_load(wanted, told, lambda text: say(f"load: {text}", err=True))
    say(_said(report), err=True)
    if json_out is not None:
        write_json(json_out, as_document(report))
    if report.failed:
        sys.exit(1)


def as_document(report: "LoadReport") -> dict[str, Any]:
    """The account of `penstock load --json`."""
    return {
        **asdict(report),
        "delivered": report.delivered,
        "kept_up": report.kept_up,
        "rate": report.sent / report.seconds,
        "rate_per_cpu_s": report.sent / report.cpu_s,
    }


def _said(report: "LoadReport") -> str:
    late = "kept up" if report.kept_up else f"did NOT keep up, at most {report.late_s:.1f} s late"
    return (
        f"{report.topic}: {report.delivered} of {report.asked} rows delivered in {report.seconds:.1f} s "
        f"({report.sent / report.seconds:.0f}/s, {report.sent / report.cpu_s:.0f} per core second); {late}"
    )


@contextmanager
def _told_to_stop() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C or a kill came: the account of what was sent is still given."""
    told: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda received, frame: told.append(received)) for number in numbers]
    try:
        yield lambda: bool(told)
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _curve(options: dict[str, Any]) -> "Floats":
    from penstock.workloads import rates

    rate = positive(options["rate"], "--rate")
    seconds = max(1, round(positive_seconds(options["for_"], "--for")))
    named = [name for name in ("spike", "sine", "trace") if options[name] is not None]
    if len(named) > 1:
        raise ConfigError(f"--{named[1]}", options[named[1]], f"give one curve; --{named[0]} already is one")
    if options["spike"] is not None:
        factor, start, end = _parts(options["spike"], "--spike", "FACTOR,FROM,TO", 3)
        from_s, to_s = positive_seconds(start, "--spike"), positive_seconds(end, "--spike")
        return rates.spike(rate, _number(factor, "--spike"), from_s, to_s, seconds)
    if options["sine"] is not None:
        amplitude, period = _parts(options["sine"], "--sine", "AMPLITUDE,PERIOD", 2)
        return rates.sine(rate, _number(amplitude, "--sine"), positive_seconds(period, "--sine"), seconds)
    if options["trace"] is not None:
        trace = rates.read_trace(options["trace"], positive_seconds(options["trace_step"], "--trace-step"), "--trace")
        return rates.replay(trace, seconds, rate, positive(options["speed"], "--speed"))
    return rates.constant(rate, seconds)


def _parts(text: str, field: str, form: str, count: int) -> list[str]:
    parts = text.split(",")
    if len(parts) != count:
        raise ConfigError(field, text, f"write {form}")
    return parts


def _number(text: str, field: str) -> float:
    try:
        return positive(float(text), field)
    except ValueError:
        raise ConfigError(field, text, "write a number above zero") from None
