"""The words of `penstock run`, for drivers that are processes of their own."""

import sys
from collections.abc import Collection, Mapping
from pathlib import Path

from penstock.engines.applications.link import AgentTls
from penstock.store.open import default_path

RUN = (sys.executable, "-m", "penstock.cli.main", "run")

OptionValue = str | float | Path | bool | Collection[str] | None


def words(options: Mapping[str, OptionValue]) -> list[str]:
    """As the command line has them: None and False are left out, True is the option alone, several are repeated.

    >>> words({"--policy": None, "--watch": True, "--executors": 4, "--notify": ["slack:x", "lines:y"]})
    ['--watch', '--executors', '4', '--notify', 'slack:x', '--notify', 'lines:y']
    """
    return [word for option, value in options.items() for word in _words(option, value)]


def of_coordinator(url: str | None, tls: AgentTls) -> Mapping[str, OptionValue]:
    """What an agent is told of its coordinator."""
    return {
        "--coordinator": url,
        "--coordinator-ca": tls.authority,
        "--coordinator-certificate": tls.certificate,
        "--coordinator-key": tls.key,
    }


def logs_of(name: str) -> Path:
    """Where drivers of a file of that name write what they say, unless told otherwise."""
    return default_path().parent / "logs" / name


def _words(option: str, value: OptionValue) -> list[str]:
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    several = [value] if isinstance(value, str | float | int | Path) else value
    return [word for one in several for word in (option, str(one))]
