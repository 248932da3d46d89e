"""The spark-submit line, through the real spark-submit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import patience_s

pytestmark = pytest.mark.jvm

SCRIPT = Path(__file__).parents[2] / "deploy" / "spark-submit.sh"


def test_it_hands_the_tenants_file_to_penstock(tmp_path: Path) -> None:
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [str(SCRIPT), str(tmp_path / "none.yaml"), "--for", "10s"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=patience_s(), check=False)
    assert done.returncode != 0
    assert "tenants file" in done.stdout  # spark-submit joins what the program says on both
    assert "give a file that can be read" in done.stdout
