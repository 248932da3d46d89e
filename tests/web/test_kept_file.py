"""A file of tokens on a file system that stands still, damaged, or changed by several at once."""

import logging
import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from penstock.engines.applications.link import Link
from penstock.engines.applications.wire import Report, encode_report
from penstock.errors import ConfigError
from penstock.web.agents_door import AgentsDoor, agent_tokens, fresh_tokens, new_agent_token
from penstock.web.kept_file import KeptFile, answered, written_whole
from penstock.web.tokens import tokens_at
from tests.patience import eventually

REPORT = encode_report(Report("fraud", "i-1", 1, {}))


def stands_still(file: Path) -> Callable[[str], None]:
    """From now on whoever opens it waits for ever, as on a mount whose server is gone; until it holds these words."""
    pipe, kept = file.with_name("pipe"), file.with_name("kept-pipe")
    os.mkfifo(pipe)
    os.link(pipe, kept)
    pipe.replace(file)

    def give(text: str) -> None:
        whole = file.with_name("whole")
        whole.write_text(text)
        whole.replace(file)
        with kept.open("w", encoding="utf-8") as waiting:  # whoever waits still
            waiting.write(text)

    return give


def test_what_was_read_before_counts_while_nothing_answers_and_that_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, now = tmp_path / "kept", [0.0]
    file.write_text("first")

    def read(known: str | None) -> str:
        return file.read_text(encoding="utf-8")

    current = KeptFile(file, "--kept", read, logging.getLogger("penstock.web"), clock=lambda: now[0])
    give = stands_still(file)
    for now[0] in (1.0, 3.0, 7.0, 9.0):
        assert current() == "first"
    assert ["has not been read for 6 s" in message for message in caplog.messages] == [True]
    give("second")

    def read_again() -> bool:
        now[0] += 2.0
        return current() == "second"

    eventually(read_again)
    assert caplog.messages[1:] == [f"{file} is read again"]


@pytest.mark.sockets
def test_agents_are_heard_by_tokens_that_were_known_while_their_file_answers_nobody(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    token, other = (new_agent_token(file, name) for name in ("fraud", "clicks"))
    whole = file.read_text()
    with AgentsDoor(lambda report: b"heard", fresh_tokens(file, 0.0)).open() as door:
        give = stands_still(file)
        with closing(Link([door.url], token)) as link:
            assert [link.say(REPORT) for _ in range(2)] == [b"heard"] * 2
        with closing(Link([door.url], other)) as link, pytest.raises(Exception, match="this token is for clicks"):
            link.say(REPORT)
        give(whole)


def test_a_file_that_answers_nobody_at_the_start_is_refused_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    give = stands_still(file)
    with pytest.raises(ConfigError, match=r"tokens: '.*tokens.json' cannot be used; give a path whose file system"):
        answered("tokens", file, file.read_text, within_s=0.01)
    give("")


def test_what_is_written_whole_is_for_its_owner_only_and_nothing_lies_beside_it_afterwards(tmp_path: Path) -> None:
    file = tmp_path / "kept"
    file.write_text("before")
    with pytest.raises(RuntimeError, match="not put there"), written_whole(file, "after"):
        raise RuntimeError("not put there")
    assert (file.read_text(), os.listdir(tmp_path)) == ("before", ["kept"])
    with written_whole(file, "after") as whole:
        assert (whole.read_text(), file.read_text()) == ("after", "before")
        whole.replace(file)
    assert (file.read_text(), os.listdir(tmp_path)) == ("after", ["kept"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_tokens_that_several_make_at_once_all_count(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    with ThreadPoolExecutor(8) as makers:
        made = list(makers.map(lambda number: new_agent_token(file, f"app-{number}"), range(40)))
    found = agent_tokens(file)
    assert [found.pattern_of(f"Bearer {token}") for token in made] == [f"app-{number}" for number in range(40)]
    assert os.listdir(tmp_path) == ["tokens.json"]


def test_of_several_that_make_the_first_tokens_one_does_and_the_others_have_those(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    with ThreadPoolExecutor(8) as makers:
        made = list(makers.map(lambda _: tokens_at(file), range(8)))
    assert len({tokens for tokens, _ in made}) == 1
    assert len([shown for _, shown in made if shown is not None]) == 1
    assert os.listdir(tmp_path) == ["tokens.json"]


@pytest.mark.parametrize("make", [lambda path: new_agent_token(path, "fraud"), tokens_at], ids=["agents", "pages"])
def test_a_place_where_none_can_be_written_is_refused_by_its_name(
    tmp_path: Path, make: Callable[[Path], object]
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"tokens: '.*file/tokens.json' cannot be used"):
        make(tmp_path / "file" / "tokens.json")
