"""What all tests share: a calm hypothesis, the harness, and builders in tests/builders.py."""

import signal

from hypothesis import HealthCheck, settings

# What a shell starts in its background ignores Ctrl-C, and so would all that tests start and end by it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Timing belongs in benchmarks; examples are the same on every machine and every run.
settings.register_profile(
    "penstock", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("penstock")

pytest_plugins = [
    "tests.harness.garbage",
    "tests.harness.compiled",
    "tests.harness.place",
    "tests.harness.guard",
    "tests.harness.needs",
    "tests.harness.progress",
    "tests.harness.logs",
    "tests.harness.spread",
    "tests.harness.doctests",
    "tests.real_spark",
    "tests.real_kafka",
    "tests.real_postgres",
    "tests.kubernetes.real",
    "tests.kubernetes.here",
    "tests.yarn.real",
    "tests.web.browsing",
]
