"""The certificates of the door that agents report at: its own, and whose certificates agents must show, if any."""

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class DoorTls:
    """PEM files. With an `authority` whoever shows no certificate that it signed is not listened to at all."""

    certificate: Path
    key: Path
    authority: Path | None = None

    def config(self) -> dict[str, Any]:
        """As uvicorn has it."""
        found: dict[str, Any] = {"ssl_certfile": self.certificate, "ssl_keyfile": self.key}
        if self.authority is not None:
            found |= {"ssl_ca_certs": str(self.authority), "ssl_cert_reqs": ssl.CERT_REQUIRED}
        return found


def door_tls(certificate: Path | None, key: Path | None, authority: Path | None = None) -> DoorTls | None:
    """None where no file is given; a ConfigError in one line where a file is missing, or cannot be used."""
    if certificate is None and key is None:
        if authority is not None:
            remedy = "add --tls-certificate and --tls-key: certificates of agents are asked for over TLS only"
            raise ConfigError("--agents-ca", str(authority), remedy)
        return None
    both = "give the paths of both PEM files"
    found = DoorTls(
        _there("--tls-certificate", certificate, both),
        _there("--tls-key", key, both),
        None if authority is None else _there("--agents-ca", authority, "give the path of a PEM file"),
    )
    _check(found)
    return found


def _there(option: str, path: Path | None, remedy: str) -> Path:
    if path is None or not path.is_file():
        raise ConfigError(option, None if path is None else str(path), remedy)
    return path


def _check(files: DoorTls) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    option, path = "--tls-certificate", files.certificate
    try:
        context.load_cert_chain(files.certificate, files.key, password="")  # or Python would ask the terminal for one
        if files.authority is not None:
            option, path = "--agents-ca", files.authority
            context.load_verify_locations(files.authority)
    except (ssl.SSLError, OSError) as error:
        why = (getattr(error, "reason", None) or str(error)).lower().replace("_", " ")
        raise ConfigError(option, str(path), f"it is no PEM file that will do ({why})") from None
