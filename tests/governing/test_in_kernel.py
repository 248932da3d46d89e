"""A governed application in a real Jupyter kernel: it shows itself, and leaves nothing behind. On the fake, no JVM."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernel import Kernel, Ran, kernel

pytestmark = pytest.mark.sockets

BEGIN = """
import threading, time
import penstock as ps
from penstock.engines.spark.fake import FakeSpark

fake = FakeSpark()
intents = {"ads": ps.Intent(ps.Latency("2s"))}

def govern():
    return ps.govern(fake, intents, store=None, interval=0.05)

def left():
    ours = [one.name for one in threading.enumerate() if one.name.startswith("penstock")]
    return [*ours, *fake.properties]

def wait():
    # Not one long sleep: an interrupt that comes just before it begins would be seen once it is over.
    print("waits", flush=True)
    while True:
        time.sleep(0.05)

def wait_until_nothing_is_left():
    while left():
        time.sleep(0.05)
    print("nothing left")
"""

ENDED = (
    r"Governing ended at [-\d]{10} [:\d]{8} UTC, after \d+ s: it was stopped, and the queries run on\. What is shown .*"
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """A kernel takes seconds to start."""
    with kernel(tmp_path_factory.mktemp("kernel")) as made:
        yield made


@pytest.fixture
def page(shared: Kernel) -> Kernel:
    """Begun anew, on a fake of its own."""
    assert shared.run(BEGIN).error is None
    return shared


def test_what_is_displayed_follows_the_rounds_and_says_when_governing_has_ended(page: Kernel) -> None:
    shows = "g = govern()\nfake.start_foreign('ads')\ndisplay(g)\n"
    ran = page.run(shows + "while len(g.views) < 4: time.sleep(0.05)\ng.stop()")
    assert ran.error is None, ran.told
    assert ran.updates >= 3
    assert all({"text/html", "text/plain"} <= set(bundle) for bundle in ran.shown)
    assert "<td>ads</td>" in ran.shown[-1]["text/html"]
    end, *_ = ran.shown[-1]["text/plain"].splitlines()
    assert re.fullmatch(ENDED, end), end


def test_a_picture_is_seen(page: Kernel) -> None:
    ran = page.run("with govern() as g:\n    while len(g.views) < 2: time.sleep(0.05)\ng.plot()")
    assert "image/png" in ran.shown[-1], ran.told


def interrupted(page: Kernel, code: str) -> Ran:
    """Whoever looks at the page interrupts the cell as soon as it waits; what else is printed may come before."""
    pressed: list[bool] = []

    def interrupt(ran: Ran) -> None:
        if "waits" in ran.told and not pressed:
            pressed.append(True)
            page.interrupt()

    return page.run(code, interrupt)


def test_a_cell_that_is_interrupted_lets_go_and_another_may_govern(page: Kernel) -> None:
    ran = interrupted(page, "with govern() as g:\n    wait()")
    assert ran.error == "KeyboardInterrupt"
    assert page.run("wait_until_nothing_is_left()").told == "nothing left\n"
    assert page.run("govern().stop()").error is None


def test_without_with_it_governs_on_when_another_cell_is_interrupted_and_lets_go_as_the_kernel_ends(
    tmp_path: Path,
) -> None:
    with kernel(tmp_path) as page:
        # What is registered first is called last.
        at_exit = "import atexit\natexit.register(lambda: open('left', 'w').write(repr(list(fake.properties))))"
        assert page.run(f"{BEGIN}\n{at_exit}\ng = govern()").error is None
        assert interrupted(page, "wait()").error == "KeyboardInterrupt"
        seen = page.run("seen = len(g.views)\nwhile len(g.views) < seen + 3: time.sleep(0.05)\nprint(left())")
        assert "penstock.controller.fake" in seen.told
    assert (tmp_path / "left").read_text() == "[]"
