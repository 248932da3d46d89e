"""What of the logs is kept when a test fails."""

import os
import time
from pathlib import Path

from tests.harness.logs import end_of, grown


def test_only_logs_that_grew_since_the_test_began_are_kept(tmp_path: Path) -> None:
    for name in ("broker.log", "stderr", "rows.parquet", "empty.log", "old.log"):
        (tmp_path / "deep" / "er").mkdir(parents=True, exist_ok=True)
        (tmp_path / "deep" / "er" / name).write_text("" if name == "empty.log" else "said")
    began_s = time.time() - 60.0
    os.utime(tmp_path / "deep" / "er" / "old.log", (began_s - 1, began_s - 1))
    assert sorted(log.name for log in grown(tmp_path, began_s)) == ["broker.log", "stderr"]


def test_of_a_long_log_the_end_is_kept(tmp_path: Path) -> None:
    log = tmp_path / "broker.log"
    log.write_text("begin" + "." * 2_000_000 + "end")
    assert end_of(log).endswith(b"end")
    assert len(end_of(log)) == 1_000_000
