"""Files that commands write: all of one, or what was there before."""

import os
import resource
from pathlib import Path
from stat import S_IMODE

import pytest

from penstock.cli.output import write_text
from penstock.errors import ConfigError


def test_a_disk_that_is_full_leaves_what_was_there_before(tmp_path: Path) -> None:
    """The limit of a file's size ends a write in the midst of it, as a disk does."""
    file = tmp_path / "report.html"
    write_text(str(file), "the one before", "--html")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, before[1]))
    try:
        with pytest.raises(ConfigError, match=r"report.html' cannot be used; give a path that can be written"):
            write_text(str(file), "x" * 100, "--html")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (file.read_text(), os.listdir(tmp_path)) == ("the one before", ["report.html"])


def test_a_file_keeps_who_may_read_it_and_a_link_leads_where_it_led(tmp_path: Path) -> None:
    file, link = tmp_path / "report.html", tmp_path / "last.html"
    file.touch(0o640)
    file.chmod(0o640)
    link.symlink_to(file)
    write_text(str(link), "this one", "--html")
    assert (link.is_symlink(), file.read_text(), S_IMODE(file.stat().st_mode)) == (True, "this one", 0o640)
    assert sorted(os.listdir(tmp_path)) == ["last.html", "report.html"]


def test_a_device_is_written_to_as_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    write_text("/dev/stdout", "a page", "--html")
    assert capfd.readouterr().out == "a page"
