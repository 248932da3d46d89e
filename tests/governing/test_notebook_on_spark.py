"""The example notebook runs to its end in a real kernel, on real Spark, and shows what it says it shows."""

from pathlib import Path

import pytest

from tests.kernel import cells_of, kernel

pytestmark = pytest.mark.jvm
NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"
# A kernel that ends has its children end first, and goes on for half a minute to wait for one that nobody reaps.
WITHOUT_JVM = """
from pyspark import SparkContext
SparkContext._gateway.proc.stdin.close()  # its JVM ends when nobody can speak to it any more
SparkContext._gateway.proc.wait()
"""


def test_the_example_notebook_runs_and_shows_a_governed_application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    shown = []
    with kernel(tmp_path) as page:
        for cell in cells_of(NOTEBOOK):
            ran = page.run(cell)
            assert ran.error is None, f"{cell}\n{ran.told}"
            shown += ran.shown
        assert page.run(WITHOUT_JVM).error is None
    assert any("text/html" in bundle and "fraud" in bundle["text/html"] for bundle in shown)
    assert any("image/png" in bundle for bundle in shown)
