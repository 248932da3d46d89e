"""A real broker that wants a login: SCRAM or OAuth over TLS, or a certificate, beside a listener without any."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from penstock.local.kafka import broker
from penstock.local.kafka.broker import CONTROLLER_PORT, BrokerExtras
from tests.harness.ports import own_port
from tests.patience import patiently

PARTITIONS = 2
PASSWORD = "correct-horse-battery"  # of the user
STORE_PASSWORD = "staple-of-the-store"  # of the certificates
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required"
_OAUTH = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"


@dataclass(frozen=True, slots=True)
class Secured:
    """Where it listens without a login, with one, and to whom it knows by certificate; and a client's two stores."""

    plain: str
    bootstrap: str
    by_certificate: str
    truststore: Path
    keystore: Path

    def options(self, password: str = PASSWORD) -> dict[str, str]:
        """Those of a query's source that logs in by SCRAM."""
        jaas = f'{_SCRAM} username="ads" password="{password}";'
        return {**self._over_tls(self.bootstrap, "SASL_SSL"), **_sasl("SCRAM-SHA-512", jaas)}

    def with_token(self) -> dict[str, str]:
        """By OAuth, with a token that the client makes itself: brokers take it where nobody set another check."""
        return {
            **self._over_tls(self.bootstrap, "SASL_SSL"),
            **_sasl("OAUTHBEARER", f'{_OAUTH} unsecuredLoginStringClaim_sub="ads";'),
        }

    def with_certificate(self, password: str = STORE_PASSWORD) -> dict[str, str]:
        """By a certificate of the client's own."""
        return {
            **self._over_tls(self.by_certificate, "SSL"),
            "kafka.ssl.keystore.location": str(self.keystore),
            "kafka.ssl.keystore.password": password,
            "kafka.ssl.keystore.type": "PKCS12",
        }

    def _over_tls(self, bootstrap: str, protocol: str) -> dict[str, str]:
        return {
            "kafka.bootstrap.servers": bootstrap,
            "kafka.security.protocol": protocol,
            "kafka.ssl.truststore.location": str(self.truststore),
            "kafka.ssl.truststore.password": STORE_PASSWORD,
            "kafka.ssl.truststore.type": "PKCS12",
        }


def _sasl(mechanism: str, jaas: str) -> dict[str, str]:
    return {"kafka.sasl.mechanism": mechanism, "kafka.sasl.jaas.config": jaas}


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    patiently(broker)
    with secured_broker(tmp_path_factory.mktemp("secured")) as up:
        yield up


@contextmanager
def secured_broker(place: Path) -> Iterator[Secured]:
    """Its stores and its state are in that place; it ends with the block."""
    keys, trusted = _certificate(place, "broker")
    client_keys, clients = _certificate(place, "client")
    plain, sasl, tls = own_port(), own_port(), own_port()
    open_to_clients = f"PLAINTEXT://127.0.0.1:{plain},SASL_SSL://127.0.0.1:{sasl},SSL://127.0.0.1:{tls}"
    listeners = {
        "listeners": f"{open_to_clients},CONTROLLER://127.0.0.1:{CONTROLLER_PORT}",
        "advertised.listeners": open_to_clients,
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512,OAUTHBEARER",
        "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": f"{_SCRAM};",
        "listener.name.sasl_ssl.oauthbearer.sasl.jaas.config": f"{_OAUTH};",
        "listener.name.ssl.ssl.client.auth": "required",
        "ssl.keystore.location": str(keys),
        "ssl.keystore.password": STORE_PASSWORD,
        "ssl.keystore.type": "PKCS12",
        "ssl.truststore.location": str(clients),
        "ssl.truststore.password": STORE_PASSWORD,
        "ssl.truststore.type": "PKCS12",
    }
    beside = BrokerExtras(listeners, [f"SCRAM-SHA-512=[name=ads,password={PASSWORD}]"])
    state = place / "kafka.json"
    broker.up(state, port=plain, partitions=PARTITIONS, beside=beside)
    try:
        yield Secured(f"127.0.0.1:{plain}", f"127.0.0.1:{sasl}", f"127.0.0.1:{tls}", trusted, client_keys)
    finally:
        broker.down(state)


def _certificate(place: Path, whose: str) -> tuple[Path, Path]:
    """A store with a key and certificate for 127.0.0.1, and a store of those who trust it."""
    keys, trusted, certificate = (place / f"{whose}{end}" for end in (".p12", "-trusted.p12", ".pem"))
    store = ("-storetype", "PKCS12", "-storepass", STORE_PASSWORD, "-alias", whose)
    named = ("-keyalg", "EC", "-dname", f"CN={whose}", "-ext", "SAN=ip:127.0.0.1,dns:localhost", "-validity", "2")
    _keytool("-genkeypair", *store, "-keystore", keys, *named)
    _keytool("-exportcert", *store, "-keystore", keys, "-rfc", "-file", certificate)
    _keytool("-importcert", "-noprompt", *store, "-keystore", trusted, "-file", certificate)
    return keys, trusted


def _keytool(*words: object) -> None:
    subprocess.run(["keytool", *map(str, words)], check=True, capture_output=True, timeout=240)
