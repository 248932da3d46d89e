"""The example notebook runs to its end in a real kernel, on real Spark, and shows what it says it shows."""

from pathlib import Path

import pytest

from tests.kernel import cells_of, kernel

pytestmark = pytest.mark.jvm
NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"


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
    assert any("text/html" in bundle and "fraud" in bundle["text/html"] for bundle in shown)
    assert any("image/png" in bundle for bundle in shown)
