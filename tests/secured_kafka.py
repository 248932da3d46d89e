"""A real broker that wants a login: SASL_SSL with SCRAM, by certificates made for it, beside a listener without."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from penstock.engines.kafka import broker
from penstock.engines.kafka.broker import CONTROLLER_PORT, Beside
from penstock.engines.processes import free_port
from tests.harness.ports import own_port

PARTITIONS = 2
PASSWORD = "correct-horse-battery"  # of the user
STORE_PASSWORD = "staple-of-the-store"  # of the certificates
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required"


@dataclass(frozen=True, slots=True)
class Secured:
    """Where it listens without a login and with one, and whom a client trusts."""

    plain: str
    bootstrap: str
    truststore: Path

    def options(self, password: str = PASSWORD) -> dict[str, str]:
        """Those of a query's source."""
        return {
            "kafka.bootstrap.servers": self.bootstrap,
            "kafka.security.protocol": "SASL_SSL",
            "kafka.sasl.mechanism": "SCRAM-SHA-512",
            "kafka.sasl.jaas.config": f'{_SCRAM} username="ads" password="{password}";',
            "kafka.ssl.truststore.location": str(self.truststore),
            "kafka.ssl.truststore.password": STORE_PASSWORD,
            "kafka.ssl.truststore.type": "PKCS12",
        }


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    place = tmp_path_factory.mktemp("secured")
    keys, trusted = _certificates(place)
    port, plain = free_port(), own_port()
    listener = {
        "listeners": f"PLAINTEXT://127.0.0.1:{plain},CONTROLLER://127.0.0.1:{CONTROLLER_PORT},SASL_SSL://127.0.0.1:{port}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{plain},SASL_SSL://127.0.0.1:{port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": f"{_SCRAM};",
        "ssl.keystore.location": str(keys),
        "ssl.keystore.password": STORE_PASSWORD,
        "ssl.keystore.type": "PKCS12",
    }
    beside = Beside(listener, [f"SCRAM-SHA-512=[name=ads,password={PASSWORD}]"])
    state = place / "kafka.json"
    broker.up(state, port=plain, partitions=PARTITIONS, beside=beside)
    yield Secured(f"127.0.0.1:{plain}", f"127.0.0.1:{port}", trusted)
    broker.down(state)


def _certificates(place: Path) -> tuple[Path, Path]:
    """The broker's own, for 127.0.0.1, and a store of it alone."""
    keys, trusted, certificate = place / "keys.p12", place / "trusted.p12", place / "broker.pem"
    store = ("-storetype", "PKCS12", "-storepass", STORE_PASSWORD, "-alias", "broker")
    named = ("-keyalg", "RSA", "-dname", "CN=localhost", "-ext", "SAN=ip:127.0.0.1,dns:localhost", "-validity", "2")
    _keytool("-genkeypair", *store, "-keystore", keys, *named)
    _keytool("-exportcert", *store, "-keystore", keys, "-rfc", "-file", certificate)
    _keytool("-importcert", "-noprompt", *store, "-keystore", trusted, "-file", certificate)
    return keys, trusted


def _keytool(*words: object) -> None:
    subprocess.run(["keytool", *map(str, words)], check=True, capture_output=True, timeout=120)
