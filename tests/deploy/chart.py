"""The Helm chart, and the helm that renders it."""

import os
import shutil
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy" / "helm" / "penstock"


@cache
def helm() -> str:
    found = shutil.which("helm", path=os.pathsep.join([os.environ["PATH"], str(ROOT / ".tools" / "helm")]))
    assert found is not None, "there is no helm: `make chart` builds one with Go"
    return found
