"""A search that was stopped goes on where it was."""

from pathlib import Path

import pytest

from penstock.errors import ConfigError
from penstock.planning.profiling.jobs import CopySearchSettings, MeasuredCopy, after_round, start
from penstock.profiling.jobs.state import Rehearsed, SearchFile

SETTINGS = CopySearchSettings(first_rps=100.0, step_rps=100.0, settle_s=1.0, measure_s=1.0)


def test_what_was_saved_is_what_is_gone_on_with(tmp_path: Path) -> None:
    search, _ = after_round(
        start((1, 2), None, SETTINGS), [MeasuredCopy(n, 100.0, 1.5, 100.0) for n in (1, 2)], SETTINGS
    )
    state = Rehearsed(search, 1.0).with_live(1.2).with_live(None).with_live(1.4)
    file = SearchFile(tmp_path / "search.json", {"scaleouts": (1, 2)})
    assert file.load() is None
    file.save(state)
    assert SearchFile(tmp_path / "search.json", {"scaleouts": (1, 2)}).load() == state
    assert state.live_mean_s == pytest.approx(1.3)


def test_a_search_with_other_settings_is_refused(tmp_path: Path) -> None:
    SearchFile(tmp_path / "search.json", {"scaleouts": (1, 2)}).save(Rehearsed(start((1, 2), None, SETTINGS)))
    with pytest.raises(ConfigError, match="another scaleouts"):
        SearchFile(tmp_path / "search.json", {"scaleouts": (1, 4)}).load()


@pytest.mark.parametrize("said", [b"{}", b"\xff\xfe", b"[" * 100_000], ids=lambda said: said[:3])
def test_what_is_no_search_is_refused(tmp_path: Path, said: bytes) -> None:
    (tmp_path / "search.json").write_bytes(said)
    with pytest.raises(ConfigError, match="start afresh"):
        SearchFile(tmp_path / "search.json", {}).load()
