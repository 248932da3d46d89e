"""The control plane's program: etcd, API server, scheduler and controllers in one, built with Go once and then kept."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from penstock.errors import EngineError
from penstock.user_folders import cache_folder

VERSION = "1.35.4"
_MODULE = Path(__file__).with_name("control_plane")
_SAYS_WHO_IT_IS = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")


def program(tell: Callable[[str], None]) -> Path:
    """The program; an EngineError with the remedy where it is not kept yet and cannot be built."""
    kept = _kept()
    if kept.is_file():
        return kept
    go = shutil.which("go")
    if go is None:
        raise EngineError(
            f"no Go was found, and the control plane of Kubernetes {VERSION} is built with it the first time; "
            "install Go 1.25 or later, from https://go.dev/dl or your system's packages"
        )
    tell(f"building the control plane of Kubernetes {VERSION}: once, some fifteen minutes of a core")
    kept.parent.mkdir(parents=True, exist_ok=True)
    # Not where the module is: its folder may be read-only, and whoever else builds just now has another one.
    with tempfile.TemporaryDirectory(prefix="build-", dir=kept.parent) as place:
        shutil.copytree(_MODULE, place, dirs_exist_ok=True)
        _build(go, Path(place), kept.name)
        Path(place, kept.name).replace(kept)
    return kept


def _kept() -> Path:
    """Where it is kept: another module, or another version, has another place."""
    files = (file for file in sorted(_MODULE.iterdir()) if file.is_file())
    mark = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    return cache_folder() / "kubernetes" / f"control-plane-{VERSION}-{mark}"


def _build(go: str, place: Path, name: str) -> None:
    command = [go, "build", "-trimpath", "-mod=mod", "-p", "2", "-ldflags", f"-s -w {_versions()}", "-o", name, "."]
    environment = {**os.environ, "CGO_ENABLED": "0"}
    done = subprocess.run(command, cwd=place, env=environment, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if not line.startswith("go: downloading")]
        why = said[-1] if said else f"it ended with {done.returncode}"
        raise EngineError(f"the control plane could not be built with {go}: {why}")


def _versions() -> str:
    """Without a version of its own the API server will not begin."""
    said = {"gitVersion": f"v{VERSION}", "gitMajor": "1", "gitMinor": VERSION.split(".")[1], "gitTreeState": "clean"}
    said |= {"gitCommit": "penstock", "buildDate": "2026-01-01T00:00:00Z"}
    return " ".join(f"-X {place}.{name}={value}" for place in _SAYS_WHO_IT_IS for name, value in said.items())
