"""The way to a Kubernetes API server: where it is and who asks, from within a pod or from a kubeconfig."""

import base64
import http.client
import json
import os
import ssl
import tempfile
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from penstock.errors import ConfigError, OutageError, in_a_line, told
from penstock.http_answers import opened

_POD = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_ANSWERS_WITHIN_S = 5.0
_MOST_BYTES = 256 * 2**20


class ForbiddenError(OutageError):
    """The API server knows who asks, and that it may not."""


class NothingThereError(OutageError):
    """There is no such object, or no such kind."""


class OvertakenError(OutageError):
    """The object has changed since it was read, or somebody else has just made it."""


_KINDS: Mapping[int, type[OutageError]] = {403: ForbiddenError, 404: NothingThereError, 409: OvertakenError}


@dataclass(frozen=True, slots=True)
class KubernetesApi:
    """An API server, and whose token is shown to it; one in a file is read each time, for it is renewed there."""

    server: str
    tls: ssl.SSLContext
    token: str = ""
    token_file: Path | None = None

    def get(self, path: str) -> Any:
        """The object or list at that path; an OutageError where it is not told."""
        return self.send("GET", path)

    def send(self, method: str, path: str, body: Any = None, within_s: float = _ANSWERS_WITHIN_S) -> Any:
        """The answer; an OutageError where there is none: then nobody knows whether what was sent was done."""
        token = self._own_token()
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        raw = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(f"{self.server.rstrip('/')}{path}", raw, headers, method=method)
        try:
            with opened(asked, within_s, self.tls) as response:
                return json.loads(response.read(_MOST_BYTES))
        except urllib.error.HTTPError as error:
            with error:
                kind = _KINDS.get(error.code, OutageError)
                raise kind(f"Kubernetes at {self.server}: {_said(error)}") from None
        except (OSError, ValueError, http.client.HTTPException, RecursionError) as error:
            raise OutageError(f"Kubernetes at {self.server} does not answer: {told(error)}") from None

    def _own_token(self) -> str:
        """As its file has it now, which is away for a moment at times; so are descriptors to read it with."""
        try:
            return self.token if self.token_file is None else self.token_file.read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            raise OutageError(f"Kubernetes at {self.server} cannot be asked without a token: {told(error)}") from None


def api(environment: Mapping[str, str] = os.environ, pod: Path = _POD) -> KubernetesApi:
    """That of KUBECONFIG, else of the pod that this runs in, else of ~/.kube/config; else a ConfigError."""
    named = environment.get("KUBECONFIG", "").split(os.pathsep)[0]
    if not named and (pod / "token").is_file() and "KUBERNETES_SERVICE_HOST" in environment:
        host, port = environment["KUBERNETES_SERVICE_HOST"], environment.get("KUBERNETES_SERVICE_PORT", "443")
        place = f"[{host}]" if ":" in host else host
        try:
            tls = ssl.create_default_context(cafile=str(pod / "ca.crt"))
        except OSError as error:  # of ssl, too
            remedy = f"have the service account's certificate mounted there ({told(error)})"
            raise ConfigError("cluster.kubernetes", str(pod / "ca.crt"), remedy) from None
        return KubernetesApi(f"https://{place}:{port}", tls, token_file=pod / "token")
    file = Path(named) if named else Path.home() / ".kube" / "config"
    try:
        return _of_config(yaml.safe_load(file.read_text(encoding="utf-8")), file)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, yaml.YAMLError) as error:
        remedy = f"set KUBECONFIG to a file with a current context, or run in a pod ({told(error)})"
        raise ConfigError("cluster.kubernetes", str(file), remedy) from None


def _of_config(config: Any, file: Path) -> KubernetesApi:
    context = _named(config["contexts"], config["current-context"])["context"]
    cluster = _named(config["clusters"], context["cluster"])["cluster"]
    user = _named(config["users"], context["user"])["user"]
    if "exec" in user or "auth-provider" in user:
        remedy = "a program that makes tokens is not run; give its user a token or a certificate"
        raise ConfigError("cluster.kubernetes", f"user {context['user']} in {file}", remedy)
    tls = ssl.create_default_context()
    authority = _bytes(cluster, "certificate-authority", file)
    if authority:
        tls.load_verify_locations(cadata=authority.decode())
    if cluster.get("insecure-skip-tls-verify"):
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    certificate, key = _bytes(user, "client-certificate", file), _bytes(user, "client-key", file)
    if certificate and key:
        _show(tls, certificate, key)
    token_file = Path(file.parent, user["tokenFile"]) if "tokenFile" in user else None
    return KubernetesApi(cluster["server"], tls, str(user.get("token", "")).strip(), token_file)


def _named(entries: Sequence[Any], name: str) -> Any:
    found = next((entry for entry in entries if entry["name"] == name), None)
    if found is None:
        raise KeyError(name)
    return found


def _bytes(part: Mapping[str, str], name: str, file: Path) -> bytes:
    """What stands in the file itself, or in one that it names; nothing where neither does."""
    if f"{name}-data" in part:
        return base64.b64decode(part[f"{name}-data"])
    return Path(file.parent, part[name]).read_bytes() if name in part else b""


def _show(tls: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """Python takes a client's certificate from files only."""
    with tempfile.TemporaryDirectory(prefix="penstock-") as place:
        for name, content in (("certificate", certificate), ("key", key)):
            with open(os.open(Path(place, name), os.O_WRONLY | os.O_CREAT, 0o600), "wb") as kept:
                kept.write(content)
        tls.load_cert_chain(Path(place, "certificate"), Path(place, "key"))


def _said(error: urllib.error.HTTPError) -> str:
    try:
        return in_a_line(str(json.loads(error.read(65536))["message"])[:500])
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException, RecursionError):
        return in_a_line(f"{error.code} {error.reason}")
