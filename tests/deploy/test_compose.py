"""The compose file: valid by the Compose specification's schema, with settings that the broker's own jars accept."""

import os
import subprocess
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import yaml
from compose_pydantic.models import ComposeSpecification
from pydantic import ValidationError

from penstock.local.java import java
from penstock.local.kafka.jars import JarSet, jars, locked
from tests.patience import patience_s

FILE = Path(__file__).parents[2] / "deploy" / "compose.yaml"
SETS_NO_PROPERTY = {"KAFKA_HEAP_OPTS"}


def composed() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return found


def properties() -> dict[str, str]:
    """What the image makes of its environment: KAFKA_NODE_ID is node.id."""
    environment = composed()["services"]["kafka"]["environment"]
    named = {name: value for name, value in environment.items() if name not in SETS_NO_PROPERTY}
    return {name.removeprefix("KAFKA_").lower().replace("_", "."): value for name, value in named.items()}


def formatted(settings: dict[str, str], place: Path) -> "subprocess.CompletedProcess[str]":
    file = place / "broker.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()), encoding="utf-8")
    classes = os.pathsep.join(str(jar) for jar in jars(JarSet.BROKER))
    tool = ["kafka.tools.StorageTool", "format", "-t", uuid4().hex[:22], "-c", str(file)]
    command = [java(), "-cp", classes, *tool]
    return subprocess.run(command, capture_output=True, text=True, timeout=patience_s(), check=False)


def test_it_is_valid_by_the_specifications_schema() -> None:
    ComposeSpecification.model_validate(composed())


def test_the_schema_check_finds_a_misspelt_field() -> None:
    wrong = composed()
    wrong["services"]["kafka"]["healthcheck"]["intervall"] = "5s"
    with pytest.raises(ValidationError, match="intervall"):
        ComposeSpecification.model_validate(wrong)


def test_its_broker_is_the_one_that_runs_without_containers() -> None:
    (version,) = {jar.version for jar in locked(JarSet.BROKER) if jar.artifact == "kafka_2.13"}
    assert composed()["services"]["kafka"]["image"] == f"apache/kafka:{version}"


@pytest.mark.jvm
def test_the_brokers_own_jars_accept_its_settings(tmp_path: Path) -> None:
    done = formatted({**properties(), "log.dirs": str(tmp_path / "records")}, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "records" / "meta.properties").exists()


@pytest.mark.jvm
def test_the_brokers_own_jars_refuse_a_wrong_setting(tmp_path: Path) -> None:
    wrong = {**properties(), "log.dirs": str(tmp_path / "records"), "process.roles": "brocker"}
    assert formatted(wrong, tmp_path).returncode != 0


def test_the_port_that_is_published_is_the_one_that_is_advertised() -> None:
    (published,) = composed()["services"]["kafka"]["ports"]
    assert published == "127.0.0.1:9092:9092"
    assert properties()["advertised.listeners"] == "PLAINTEXT://127.0.0.1:9092"
