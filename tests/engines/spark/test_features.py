"""What penstock needs of a session, and what it says where that is missing."""

import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock.engines.spark.features import FAIR_LINE, check_session
from penstock.errors import EngineError


def test_a_session_in_fair_mode_will_do(spark: SparkSession) -> None:
    check_session(spark)


def test_without_fair_mode_the_line_to_add_is_said() -> None:
    script = Path(__file__).with_name("no_fair_mode.py")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=True)
    assert FAIR_LINE in done.stdout


def test_a_connect_session_is_refused_with_the_reason() -> None:
    session = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with pytest.raises(EngineError, match=r"live in the driver's JVM, which a Connect client cannot reach"):
        check_session(session)
