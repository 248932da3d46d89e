"""A store whose PostgreSQL lets in and then answers nothing: whoever reads is told so, and a shell goes on."""

import threading

import pytest
from click.shell_completion import ShellComplete

from penstock.cli.completing import names_within
from penstock.cli.grouped_help import SHELL_VARIABLE
from penstock.cli.main import cli
from tests.cli.calling import penstock
from tests.store.lets_in import letting_in

READERS = ["report last", "explain last", "top --once", "top --json -", "diff last last", "serve --port 0"]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.timeout(60)
def test_who_reads_a_store_that_answers_nothing_ends_with_one_line_that_names_it_and_says_what_to_do(
    reader: str,
) -> None:
    with letting_in() as url:
        done = penstock(*reader.split(), "--store", url)
    line = f"penstock: store {url}: the server did not answer within 3 s; see that PostgreSQL runs"
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (75, "", 1)
    assert done.stderr.replace("+psycopg", "").startswith(line)


def test_names_that_do_not_come_in_time_are_none() -> None:
    over = threading.Event()

    def read() -> list[str]:
        over.wait()
        return ["nightly"]

    assert names_within(0.0, read) == ()
    over.set()
    assert list(names_within(60.0, read)) == ["nightly"]


@pytest.mark.timeout(60)
def test_a_shell_is_given_no_names_of_a_store_that_answers_nothing() -> None:
    asked = ShellComplete(cli, {}, "penstock", SHELL_VARIABLE)
    with letting_in() as url:
        assert [item.value for item in asked.get_completions(["report", "--store", url], "")] == ["last"]
