"""librdkafka's own performance tool, built once below .tools: from the sources that npm's node-rdkafka has with it.

It uses the very library that the Python client brings, so what differs is who calls it. Needs npm and a C compiler.
"""

import subprocess
import tarfile
from pathlib import Path

import confluent_kafka

PLACE = Path(__file__).parents[1] / ".tools" / "librdkafka"
TOOL = PLACE / "rdkafka_performance"
SOURCES = "node-rdkafka@3.6.1"


def tool() -> Path:
    """The program, built where it is not there yet."""
    if not TOOL.exists():
        PLACE.mkdir(parents=True, exist_ok=True)
        _build(_sources(), _library())
    return TOOL


def _sources() -> Path:
    """Of librdkafka, with the header that its configure writes."""
    packed = ["npm", "pack", "--silent", SOURCES]
    name = subprocess.run(packed, cwd=PLACE, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1]
    with tarfile.open(PLACE / name) as archive:
        archive.extractall(PLACE, filter="data")
    folder = PLACE / "package" / "deps" / "librdkafka"
    subprocess.run(["./configure"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder


def _library() -> Path:
    """That of the Python client's wheel."""
    beside = Path(confluent_kafka.__file__).parents[1] / "confluent_kafka.libs"
    found = sorted(beside.glob("librdkafka-*.so*"))
    if not found:
        raise SystemExit(f"no librdkafka in {beside}: install confluent-kafka as a wheel")
    return found[0]


def _build(sources: Path, library: Path) -> None:
    program = sources / "examples" / "rdkafka_performance.c"
    found_by = f"-Wl,-rpath,{library.parent}"
    made = TOOL.with_suffix(".new")
    command = ["cc", "-O2", "-w", "-I", sources / "src", program, library, found_by, "-o", made]
    subprocess.run(list(map(str, command)), check=True)
    made.replace(TOOL)  # whoever finds it finds the whole
