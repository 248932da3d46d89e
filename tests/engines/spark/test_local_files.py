"""Where a checkpoint is, as Hadoop reads its location, and its files on this machine."""

import errno
import os
from pathlib import Path

import pytest

from penstock.engines.spark.jvm.checkpoint_files import Files
from penstock.engines.spark.jvm.local_files import LocalFiles, local_path, same_place
from tests.engines.spark.routing.object_store import StoredFiles


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("/data/orders", "/data/orders"),
        (Path("/data/orders"), "/data/orders"),
        ("/data/my orders%20", "/data/my orders%20"),
        ("file:/data/orders", "/data/orders"),
        ("file:///data/my orders", "/data/my orders"),
        ("file:///data/my%20orders", "/data/my%20orders"),  # three characters, for Hadoop as well
        ("hdfs://name/orders", None),
        ("s3a://bucket/orders", None),
        ("viewfs:///orders", None),
    ],
)
def test_a_location_is_read_as_hadoop_reads_it(location: str | Path, path: str | None) -> None:
    assert local_path(location) == (None if path is None else Path(path))


def test_a_path_alone_is_on_the_default_file_system() -> None:
    assert local_path("/orders", lambda: "hdfs://name") is None
    assert local_path("file:/orders", lambda: "hdfs://name") == Path("/orders")


@pytest.fixture(params=["here", "object store"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Files:
    return LocalFiles(tmp_path / "my files") if request.param == "here" else StoredFiles("stub://bucket/files")


def test_files_are_written_read_listed_and_removed(files: Files) -> None:
    files.write("a/1", "one")
    files.write("a/1", "another")
    files.write("a/b/2", b"two")
    assert (files.read("a/1"), files.load("a/b/2")) == ("another", b"two")
    assert (files.names("a"), files.tree("a"), files.names("c")) == (["1", "b"], ["a/1", "a/b/2"], [])
    assert files.below("a").names("b") == ["2"]
    files.remove("a/1")
    files.remove("a/1")
    assert (files.exists("a/1"), files.exists("a/b")) == (False, True)


def test_what_is_created_once_is_never_written_over(files: Files) -> None:
    assert files.create("a/1", "first")
    assert not files.create("a/1", "second")
    assert files.read("a/1") == "first"


def test_a_file_is_removed_with_what_hadoop_keeps_to_check_it(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    files.write("offsets/7", "v1")
    files.write("offsets/.7.crc", "sum")
    files.remove("offsets/7")
    assert files.names("offsets") == []


def test_one_place_has_many_names(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    here = LocalFiles(tmp_path / "a")
    assert same_place(here, LocalFiles(tmp_path / "link/b/../a"))
    assert same_place(None, None)
    assert not same_place(here, None)
    assert not same_place(here, StoredFiles("stub://bucket/a"))


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files and directories that were brought to the disk, in that order."""
    found: list[str] = []
    fsync = os.fsync

    def noted(handle: int) -> None:
        fsync(handle)
        found.append(os.readlink(f"/proc/self/fd/{handle}"))

    monkeypatch.setattr(os, "fsync", noted)
    return found


@pytest.mark.parametrize("way", ["write", "create"])
def test_a_power_cut_leaves_no_book_without_its_directories(tmp_path: Path, synced: list[str], way: str) -> None:
    files = LocalFiles(tmp_path / "checkpoint" / "routing")
    getattr(files, way)("tables/3.json", "{}")
    places = [str(tmp_path / part) for part in ("", "checkpoint", "checkpoint/routing")]
    assert synced[:3] == [place.rstrip("/") for place in places]  # each holds the name of the next one
    assert synced[-1] == str(tmp_path / "checkpoint" / "routing" / "tables")
    assert len(synced) == 5  # and the file's content, before its name
    del synced[:]
    files.write("tables/4.json", "{}")
    assert len(synced) == 2


def test_what_was_removed_does_not_come_back(tmp_path: Path, synced: list[str]) -> None:
    files = LocalFiles(tmp_path)
    files.write("pending.json", "{}")
    del synced[:]
    files.remove("pending.json")
    assert synced == [str(tmp_path)]
    files.remove("nowhere/pending.json")  # nor does it matter where there was nothing


def test_where_a_file_system_has_no_links_a_file_is_created_once_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    files = LocalFiles(tmp_path)
    assert (files.create("a/1", "first"), files.create("a/1", "second")) == (True, False)
    assert (files.read("a/1"), files.names("a")) == ("first", ["1"])


def test_a_full_disk_keeps_nothing_of_what_had_no_room_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError, match="No space left"):
        LocalFiles(tmp_path).write("a/1", "one")
    assert LocalFiles(tmp_path).names("a") == []
