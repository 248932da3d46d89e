"""Certificates for tests: an authority, and what it signed."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

_CURVE = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"


@dataclass(frozen=True, slots=True)
class Authority:
    """Its own certificate is `ca.crt` there."""

    place: Path

    @classmethod
    def made(cls, place: Path) -> "Authority":
        place.mkdir()
        (place / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        _openssl(place, f"req -x509 {_CURVE} -keyout ca.key -out ca.crt -days 30 -subj /CN=ca-{place.name}")
        return cls(place)

    @property
    def certificate(self) -> Path:
        return self.place / "ca.crt"

    def signed(self, name: str) -> tuple[Path, Path]:
        """A certificate for this machine, and its key."""
        _openssl(self.place, f"req {_CURVE} -keyout {name}.key -out {name}.csr -subj /CN={name}")
        sign = "-CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile names"
        _openssl(self.place, f"x509 -req -in {name}.csr {sign} -out {name}.crt")
        return self.place / f"{name}.crt", self.place / f"{name}.key"


def _openssl(place: Path, words: str) -> None:
    subprocess.run(["openssl", *words.split()], cwd=place, check=True, capture_output=True)
