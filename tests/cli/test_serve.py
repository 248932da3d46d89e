"""`penstock serve` ends when it is told to, in order, and makes new tokens."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from penstock.cli.serving import dashboard_over
from penstock.store.open import open_store
from penstock.web.tokens import tokens_at
from tests.cli import calling
from tests.patience import eventually, patience_s
from tests.recorded import RUN
from tests.web import asking

pytestmark = pytest.mark.sockets


@pytest.fixture
def serving(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A server with a simulation beside it."""
    with calling.serving(tmp_path) as process:
        yield process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["terminated", "interrupted"])
def test_it_ends_in_order_when_it_is_told_to(
    serving: "subprocess.Popen[bytes]", tmp_path: Path, number: signal.Signals
) -> None:
    said = tmp_path / "said.log"

    def url() -> str | None:
        assert serving.poll() is None, said.read_text()
        found = re.search(r"dashboard: (http\S+)", said.read_text())
        return found.group(1) if found else None

    overview = f"{eventually(url)}api/overview"
    eventually(lambda: asking.get(overview).json().get("present"))
    serving.send_signal(number)
    assert serving.wait(patience_s()) == 0
    assert "Traceback" not in said.read_text()


def test_pages_beside_a_run_that_begins_wait_for_it_also_where_the_store_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "no.sqlite").write_text("this is no database, and long enough to be taken for none at all " * 20)
    given = {"port": 0, "tokens": tmp_path / "tokens.json", "allowed_hosts": (), "proxies": ()}
    with dashboard_over(str(tmp_path / "no.sqlite"), given, begins=True, tell=lambda text: None):
        assert "dashboard: http://" in capsys.readouterr().err  # nobody who governs is kept from it by the pages


# The command in a program of its own, for an event loop may run in pytest's; its server fails at its first tick.
STRUCK = """
import sys
from penstock.cli.main import main
from penstock.web.server import _PagesServer

async def struck(self, counter):
    raise {error}

_PagesServer.on_tick = struck
main()
"""


@pytest.mark.parametrize(
    ("error", "why"), [("RuntimeError('unforeseen')", "RuntimeError: unforeseen"), ("SystemExit(0)", "SystemExit: 0")]
)
def test_a_server_that_an_error_ends_says_so_in_a_line_and_is_no_success(error: str, why: str, tmp_path: Path) -> None:
    kept = ("--store", str(tmp_path / "runs.sqlite"), "--tokens", str(tmp_path / "tokens.json"), "--port", "0")
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(RUN)
    command = [sys.executable, "-c", STRUCK.format(error=error), "serve", *kept]
    done = subprocess.run(
        command, env=calling.environment(), capture_output=True, text=True, timeout=patience_s(), check=False
    )
    assert done.returncode == 75, done.stderr  # whoever watches over it starts another
    assert done.stderr.splitlines()[-1].endswith(f"the server of the pages has ended ({why}); start it again")
    assert "Traceback" not in done.stderr


def test_new_tokens_take_the_place_of_the_old_ones_and_are_shown_once(tmp_path: Path) -> None:
    kept = tmp_path / "tokens.json"
    _, before = tokens_at(kept)
    done = calling.penstock("serve", "--tokens", str(kept), "--new-tokens")
    shown = dict(line.split(": ") for line in done.stdout.splitlines())
    tokens, _ = tokens_at(kept)
    assert (done.returncode, {name: tokens.role_of(token) for name, token in shown.items()}) == (
        0,
        {"read": "read", "operate": "operate"},
    )
    assert before is not None
    assert tokens.role_of(before.operate) == "none"
    assert [path.name for path in tmp_path.iterdir()] == ["tokens.json"]
