"""How a driver's JVM is given what nobody else is to read."""

from unittest.mock import Mock

import pytest

from penstock.engines.spark.launch import driver


@pytest.mark.parametrize(
    "name", ["spark.hadoop.fs.s3a.secret.key", "spark.hadoop.fs.s3a.access.key", "spark.ssl.keyStorePassword"]
)
def test_a_tenants_files_keys_reach_a_jvm_that_runs_and_not_its_command_line(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = list[str]()
    builder = Mock(getOrCreate=lambda: "session")

    def config(name: str, value: str) -> Mock:
        done.append(f"{name}={value}")
        return builder

    builder.config = config
    monkeypatch.setattr(driver, "SparkSession", Mock(builder=builder))
    monkeypatch.setattr(driver, "jvm_with", lambda settings: done.append(f"command line: {' '.join(settings)}"))
    assert str(driver.session({"spark.master": "local[2]", name: "s3cret"})) == "session"
    assert done == ["command line: spark.master", "spark.master=local[2]", f"{name}=s3cret"]
