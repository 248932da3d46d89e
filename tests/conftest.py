"""What all tests share: a calm hypothesis, and builders in tests/builders.py."""

import os
import tempfile

from hypothesis import HealthCheck, settings

from tests.harness import class_archive

# Runs that tests record by default go nowhere near the user's own.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="penstock-tests-")

# The tests start some fifty JVMs, most for seconds: the better compiler would cost them more than it gives.
os.environ.setdefault("JDK_JAVA_OPTIONS", f"-XX:TieredStopAtLevel=1 {class_archive.options()}")

# Timing belongs in benchmarks; examples are the same on every machine and every run.
settings.register_profile(
    "penstock", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("penstock")

pytest_plugins = ["tests.real_spark", "tests.real_kafka", "tests.web.browsing"]
