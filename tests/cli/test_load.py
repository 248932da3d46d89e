"""`penstock load`: curves from options, and the account as JSON."""

import json
from collections.abc import Sequence

import pytest
from click.testing import CliRunner, Result

from penstock.cli.load import load
from penstock.engines.kafka import topics
from penstock.errors import ConfigError, EngineError


def loaded(bootstrap: str, topic: str, *options: str) -> Result:
    arguments = ["--bootstrap", bootstrap, "--topic", topic, "--json", "-", *options]
    return CliRunner().invoke(load, arguments, catch_exceptions=False)


def test_the_account_is_one_document_on_standard_output(kafka: str, topic: str) -> None:
    done = loaded(kafka, topic, "--rate", "200", "--for", "2s", "--spike", "2,1s,2s", "--keys", "3")
    account = json.loads(done.stdout)
    assert (account["asked"], account["delivered"], account["failed"]) == (600, 600, 0)
    assert sum(account["per_key"].values()) == 600
    assert "600 of 600 rows delivered" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--spike", "2,1s"], "write FACTOR,FROM,TO"),
        (["--sine", "x,1m"], "write a number above zero"),
        (["--sine", "5,1m", "--spike", "2,1s,2s"], "--spike already is one"),
        (["--trace", "none.csv"], "name a CSV file"),
        (["--rows", "json:nothing"], "name a function as module:function"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: Sequence[str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        loaded("127.0.0.1:1", "rows", "--rate", "10", "--for", "5s", *options)


def test_a_broker_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "_ANSWERS_WITHIN_S", 0.5)  # nobody listens at that port: no answer comes later either
    with pytest.raises(EngineError, match=r"no broker answers at 127\.0\.0\.1:1 .*start one with `penstock kafka up`"):
        loaded("127.0.0.1:1", "rows", "--rate", "10", "--for", "5s")
