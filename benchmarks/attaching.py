"""From the first documented line to the first explained decision, and the doctor's table, on people's own Spark.

    PYTHONPATH=. python benchmarks/attaching.py [--only pip-3.5,log] [--with-spark] [--out docs/compatibility.md]

Each environment is a fresh folder with a fresh venv, state and caches of its own, and the lines of README.md,
docs/govern.md, docs/advise.md or docs/attach.md, in which the wheel of this checkout stands for `penstock`. What people
have already is laid before the clock starts: Spark by uv, from its cache (`--with-spark`: by pip, without a cache,
timed by itself), their own driver, their broker, the log of their run. What penstock needs is downloaded each time.
What came of each is kept in `--record`, a file of the checkout: the page is made of the newest of each, and trying one
keeps the rows of the others."""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from machine_use import read_machine, use_between
from tests.drivers import running
from tests.secured_kafka import secured_broker

from penstock.engines.kafka.topics import make_topics
from penstock.store.archive import StoreError
from penstock.store.open import open_store

ROOT = Path(__file__).parents[1]
THEIRS = Path(__file__).with_name("attached")
HEADING = "## In five minutes\n"
UV = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
TOPICS = {"fraud": 100, "reports": 500, "clicks": 500}  # rows a second
RECORD = Path(__file__).with_name("recorded") / "attaching.json"
OURS = {os.getpid(): "the benchmark"}  # and all that it starts
TARGET_S = 300
QUIET_CORES = 0.2  # kept busy by others: more is told beside the times


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What somebody has, and the lines that the docs give them."""

    words: str
    spark: str
    install: str  # with {wheel} for penstock's name
    driver: str  # what runs on; or, where `answers`, what says it all
    beside: str | None = None  # in another terminal, once a driver lets somebody in
    answers: bool = False
    extras: str = ""  # of their pyspark


IN_A_DRIVER = "python shop.py"
LISTENER = "--conf spark.sql.streaming.streamingQueryListeners=penstock.QueryEvents"
ALL = {
    "pip-3.5": Surroundings("pip, Spark 3.5", "3.5", "pip install {wheel}", IN_A_DRIVER),
    "pip-4.3": Surroundings("pip, Spark 4.3", "4.3", "pip install {wheel}", IN_A_DRIVER),
    "jupyter": Surroundings(
        "Jupyter", "4.3", "pip install '{wheel}[plots]' jupyterlab pandas", "jupyter execute --timeout=-1 shop.ipynb"
    ),
    "broker": Surroundings(
        "SASL_SSL, SCRAM", "4.3", "pip install {wheel}", 'python shop_kafka.py "$(penstock kafka jars)"'
    ),
    "scala": Surroundings(
        "Scala, spark-submit",
        "4.3",
        "pip install {wheel}",
        "jar=$(penstock attach --jar)\n"
        'spark-submit --master \'local[4]\' --driver-class-path "$jar" --jars "$jar" \\\n'
        "  --conf spark.plugins=penstock.AttachPlugin --class shop.Main shop.jar",
        "penstock attach --tenants shop_tenants.yaml",
    ),
    "pipeline": Surroundings(
        "six flows, spark-pipelines",
        "4.3",
        "pip install {wheel}",
        "spark-pipelines --remote 'local[4]' --driver-class-path \"$(penstock attach --jar)\" \\\n"
        f"  --conf spark.scheduler.mode=FAIR {LISTENER} run",
        "penstock attach --tenants flows_tenants.yaml",
        extras="[pipelines]",
    ),
    "log": Surroundings(
        "event log",
        "4.3",
        "pip install '{wheel}[history]'",
        "penstock advise --history log shop_tenants.yaml",
        answers=True,
    ),
}


class NothingCameError(Exception):
    """One of them came to no decision; its folder stays, to be looked at."""


@dataclass(frozen=True, slots=True)
class Seen:
    """How long it took, what was decided first, and what the doctor says."""

    words: str
    on: str  # the day
    spark_s: float | None  # pip's time for Spark itself; None where it was there
    install_s: float
    install_cpu_s: float
    decided_s: float  # since the first line, Spark's own left out
    others: float | None  # cores that everybody else kept busy meanwhile; None: nobody looked
    why: str
    doctor: Mapping[str, Any]


def tried(place: Path, name: str, wheel: Path, with_spark: bool, limit_s: float) -> Seen:
    """One of them, from nothing."""
    what, own = ALL[name], _environment(place)
    spark_s = None
    if with_spark:
        spark_s = _with_spark(place, what, own)
    else:
        _given_spark(place, what, own)
    with ExitStack() as theirs:
        _lay(place, name, own, theirs)
        start, cpu_s, machine = time.monotonic(), _children_cpu_s(), read_machine(OURS)
        _done(place, own, what.install.format(wheel=wheel))
        install_s, install_cpu_s = time.monotonic() - start, _children_cpu_s() - cpu_s
        why = _answer(place, own, what) if what.answers else _decision(place, own, what, start + limit_s)
        decided_s, others = time.monotonic() - start, use_between(machine, read_machine(OURS)).others
    doctor = "penstock doctor --master 'local[4]' --conf spark.scheduler.mode=FAIR --json doctor.json"
    _done(place, own, doctor)
    diagnosis = json.loads((place / "doctor.json").read_text(encoding="utf-8"))
    day = time.strftime("%Y-%m-%d")
    return Seen(what.words, day, spark_s, install_s, install_cpu_s, decided_s, others, why, diagnosis)


def _environment(place: Path) -> dict[str, str]:
    """Nothing of this checkout, and caches and state below that place."""
    ours = ("PYTHONPATH", "VIRTUAL_ENV", "SPARK_HOME", "PYSPARK_PYTHON", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    path = os.pathsep.join(part for part in kept["PATH"].split(os.pathsep) if ".venv" not in part)
    homes = {"XDG_STATE_HOME": str(place / "state"), "XDG_CACHE_HOME": str(place / "cache")}
    return {**kept, **homes, "PATH": path, "SPARK_LOCAL_IP": "127.0.0.1"}


def _with_spark(place: Path, what: Surroundings, own: Mapping[str, str]) -> float:
    subprocess.run(["python3", "-m", "venv", place / "venv"], check=True, env=own)
    start = time.monotonic()
    _done(place, own, f"pip install 'pyspark{what.extras}=={what.spark}.*'")
    return time.monotonic() - start


def _given_spark(place: Path, what: Surroundings, own: Mapping[str, str]) -> None:
    """By uv and its cache, which is this user's."""
    cached = {name: value for name, value in own.items() if name != "XDG_CACHE_HOME"}
    system = {"UV_NATIVE_TLS": "1", "UV_SYSTEM_CERTS": "1", "UV_PYTHON_DOWNLOADS": "never"}
    wanted = f"pyspark{what.extras}=={what.spark}.*"
    for words in (["venv", "--seed", "venv"], ["pip", "install", "--python", "venv/bin/python", wanted]):
        subprocess.run([UV, "--quiet", *words], cwd=place, env={**cached, **system}, check=True)


def _lay(place: Path, name: str, own: Mapping[str, str], theirs: ExitStack) -> None:
    """What is theirs: drivers, a pipeline, a notebook, a jar, a broker, a log."""
    for file in THEIRS.iterdir():
        if file.is_file():
            shutil.copy(file, place)
    if name == "jupyter":
        (place / "shop.ipynb").write_text(json.dumps(notebook((place / "shop.py").read_text(encoding="utf-8"))))
    elif name == "broker":
        theirs.enter_context(_broker(place))
    elif name == "scala":
        jars = "$(python -c 'import pyspark; print(pyspark.__path__[0])')/jars/*"
        _done(place, own, f'java -cp "{jars}" scala.tools.nsc.Main -usejavacp -d shop.jar Shop.scala')
    elif name == "pipeline":
        _pipeline(place)
    elif name == "log":
        (place / "log").mkdir()
        _done(place, own, f"python shop_plain.py {place / 'log'}")


def notebook(program: str) -> dict[str, Any]:
    """A program as a notebook of one cell."""
    cell: dict[str, Any] = {"cell_type": "code", "id": "shop", "metadata": {}, "outputs": [], "execution_count": None}
    return {"cells": [{**cell, "source": program}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@contextmanager
def _broker(place: Path) -> Iterator[None]:
    """One that wants a login, with rows that keep coming, by a listener that wants none."""
    stores = place / "broker"
    stores.mkdir()
    with secured_broker(stores) as broker, ExitStack() as senders:
        make_topics(broker.plain, list(TOPICS), 4)
        (place / "broker.json").write_text(json.dumps(broker.options()), encoding="utf-8")
        for topic, rate in TOPICS.items():
            load = ["load", "--bootstrap", broker.plain, "--topic", topic, "--rate", str(rate), "--for", "1h"]
            senders.enter_context(running([sys.executable, "-m", "penstock.cli.main", *load], place, os.environ))
        yield


def _pipeline(place: Path) -> None:
    (place / "transformations").mkdir()
    (place / "flows.py").rename(place / "transformations" / "flows.py")
    (place / "rows").mkdir()
    for number in range(2000):
        (place / "rows" / f"{number}.txt").write_text("a row\n" * 5)
    storage = (place / "storage").as_uri()
    spec = f"name: shop\nstorage: {storage}\nlibraries:\n  - glob: {{include: 'transformations/**'}}\n"
    (place / "spark-pipeline.yml").write_text(spec, encoding="utf-8")


def _done(place: Path, own: Mapping[str, str], line: str) -> str:
    """The line in its venv; what it says."""
    with (place / "said").open("a", encoding="utf-8") as said:
        done = subprocess.run(_shell(line), cwd=place, env=own, stdout=subprocess.PIPE, stderr=said, text=True)
        said.write(done.stdout)
    if done.returncode != 0:
        raise NothingCameError(f"{line}: exit code {done.returncode}; see {place / 'said'}")
    return done.stdout


def _shell(lines: str) -> list[str]:
    return ["bash", "-ec", f". venv/bin/activate\n{lines}"]


def _answer(place: Path, own: Mapping[str, str], what: Surroundings) -> str:
    found = advice_in(_done(place, own, what.driver))
    if not found:
        raise NothingCameError(f"{what.words}: no advice; see {place / 'said'}")
    return found


def advice_in(said: str) -> str:
    """What would have done better, without the tables before it."""
    return " ".join(line for line in said.splitlines() if line.startswith(("- ", "Slots: ")))


def _decision(place: Path, own: Mapping[str, str], what: Surroundings, until: float) -> str:
    """Why the first decision was taken, as it is in the record."""
    with ExitStack() as terminals:
        begun = [terminals.enter_context(running(_shell(what.driver), place, own))]
        if what.beside is not None:
            listening = "until penstock attach --list | grep -q .; do sleep 1; done"
            begun.append(terminals.enter_context(running(_shell(f"{listening}\n{what.beside}"), place, own)))
        while time.monotonic() < until:
            if any(process.poll() is not None for process in begun):
                raise NothingCameError(f"{what.words}: a driver ended without a decision; see {place / 'said'}")
            found = _recorded(place / "state" / "penstock" / "runs.sqlite")
            if found is not None:
                return found
            time.sleep(0.5)
    raise NothingCameError(f"{what.words}: no decision in time; see {place / 'said'}")


def _recorded(file: Path) -> str | None:
    if not file.exists():
        return None
    with suppress(StoreError), closing(open_store(file, create=False)) as store:
        for info in store.runs():
            for record in store.read_run(info.id).decisions:
                return record.decision.why
    return None


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def page(seen: Sequence[Seen]) -> str:
    """The section of the page: times, what was decided, and what the doctor says in each."""
    titles = ("", "on", "Spark by pip, s", "penstock by pip, s (CPU s)", "to a decision, s", "its reason")
    parts = [
        HEADING,
        "How long it takes from the first documented line to the first decision with its reason. The target is",
        f"{TARGET_S} s. `make bench-attaching` measures it: it makes a fresh venv beside a Spark that is there,",
        "downloads what is needed, and follows the documented lines alone. If others used more than",
        f"{QUIET_CORES} of the machine's cores meanwhile, which makes it longer, the table says how many.\n",
        _row(titles),
        _row(["---"] * len(titles)),
        *(_row(_times(one)) for one in seen),
        *_not_run(seen),
        "\nWhat `penstock doctor` says in each:\n",
        _row(["", *(one.words for one in seen)]),
        _row(["---"] * (len(seen) + 1)),
        *_table([one.doctor for one in seen]),
    ]
    return "\n".join(parts) + "\n"


def _not_run(seen: Sequence[Seen]) -> Iterator[str]:
    missing = [what.words for what in ALL.values() if what.words not in {one.words for one in seen}]
    if missing:
        yield f"\nNot run yet: {'; '.join(missing)}."


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _times(one: Seen) -> tuple[str, ...]:
    spark = "was there" if one.spark_s is None else f"{one.spark_s:.0f}"
    installed = f"{one.install_s:.0f} ({one.install_cpu_s:.0f})"
    why = one.why.replace("|", "\\|")
    decided = f"{one.decided_s:.0f}"
    if one.others is None:
        decided = f"{decided}, beside others"
    elif one.others > QUIET_CORES:
        decided = f"{decided}, beside {one.others:.1f} cores of others"
    return (one.words, one.on, spark, installed, decided, why)


def _table(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A row for each thing that the doctor looks at, in its order."""
    yield _row(["Spark, Scala, Java", *(f"{one['spark']}, {one['scala']}, {one['java']}" for one in found)])
    yield _row(["`ps.govern` works", *("yes" if one["governable"] else "no" for one in found)])
    for number, feature in enumerate(found[0]["features"]):
        yield _row([feature["name"], *("yes" if one["features"][number]["here"] else "no" for one in found)])
    for number, setting in enumerate(found[0]["settings"]):
        yield _row([setting["name"], *(one["settings"][number]["value"] for one in found)])


def main() -> None:
    """Try those that are asked for, one after the other; what came of it goes onto the page, or is printed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(ALL), help="which of them, with commas between")
    parser.add_argument("--with-spark", action="store_true", help="pip installs Spark, too")
    parser.add_argument("--limit", type=float, default=3600, help="seconds after which a decision is not waited for")
    parser.add_argument("--record", type=Path, default=RECORD, help="what came of each, the newest")
    parser.add_argument("--out", type=Path, help=f"a page of which the section `{HEADING.strip()}` is written anew")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="penstock-wheel-") as built:
        subprocess.run([UV, "--quiet", "build", "--wheel", "--out-dir", built, ROOT], check=True)
        (wheel,) = Path(built).glob("*.whl")
        failed = [name for name in given.only.split(",") if not _kept(name, wheel, given)]
    text = page(kept(given.record))
    if given.out is None:
        print(text)
    else:
        before = given.out.read_text(encoding="utf-8").partition(HEADING)[0]
        given.out.write_text(before + text, encoding="utf-8")
    if failed:
        raise SystemExit(f"without a decision: {', '.join(failed)}")


def keep(record: Path, name: str, seen: Seen) -> None:
    """That one anew, and all others as they are."""
    record.write_text(json.dumps({**_read(record), name: asdict(seen)}, indent=1) + "\n", encoding="utf-8")


def kept(record: Path) -> list[Seen]:
    """The newest of each that was ever tried, in the order in which they are tried."""
    found = _read(record)
    return [Seen(**found[name]) for name in ALL if name in found]


def _read(record: Path) -> dict[str, Any]:
    return json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}


def _kept(name: str, wheel: Path, given: argparse.Namespace) -> bool:
    """Whether it came to a decision; what came is kept, and one that came to nothing keeps no other from its turn."""
    try:
        keep(given.record, name, _tried(name, wheel, given))
    except NothingCameError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return False
    return True


def _tried(name: str, wheel: Path, given: argparse.Namespace) -> Seen:
    place = Path(tempfile.mkdtemp(prefix=f"penstock-{name}-"))  # stays where it fails, to be looked at
    print(f"{name}: {place}", file=sys.stderr)
    seen = tried(place, name, wheel, given.with_spark, given.limit)
    print(f"{name}: {seen.decided_s:.0f} s: {seen.why}", file=sys.stderr)
    shutil.rmtree(place)
    return seen


if __name__ == "__main__":
    main()
