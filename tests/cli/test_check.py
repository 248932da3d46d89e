"""`penstock check`, and `penstock run` before Spark starts: every mistake in a line with its place, exit code 2."""

import re
from pathlib import Path

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from penstock.cli.out_file import check_out_file
from tests.cli.calling import ROOT, Called, penstock
from tests.cli.wrong import BYTES, FIELDS, TENANTS, Wrong, folder_with

COMMANDS = {"check": (), "run": ("--for", "1s")}
# Of pydantic, Python and YAML: words that say nothing to somebody who wrote a file.
RAW = re.compile(r"Traceback|Input should|validation|Value error|pydantic|Tuple|List should|\.\d+\.[a-z]+\[")


@pytest.fixture(autouse=True)
def no_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is refused here is refused before Spark's JVM starts."""

    def started(*given: object, **how: object) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr("pyspark.java_gateway.Popen", started)


def test_there_are_sixty_wrong_inputs_and_more() -> None:
    assert len(BYTES) + len(FIELDS) >= 60


def lines_of(called: Called) -> list[str]:
    """What was told of a file that is refused."""
    assert called.returncode == 2, called.stderr
    assert called.stdout == ""
    lines = called.stderr.splitlines()
    assert all(line.startswith("penstock: ") for line in lines)
    assert [line for line in lines if RAW.search(line)] == []
    return [line.removeprefix("penstock: ") for line in lines]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("what", BYTES)
def test_a_text_that_holds_no_tenants_is_refused_in_one_line(tmp_path: Path, what: str, command: str) -> None:
    text, told = BYTES[what]
    path = folder_with(tmp_path, text)
    (line,) = lines_of(penstock(command, str(path), *COMMANDS[command]))
    assert re.search(told, line), line
    assert str(path) in line


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("wrong", FIELDS, ids=lambda wrong: f"{wrong.old!r} to {wrong.new!r}")
def test_a_wrong_field_is_told_with_place_path_value_and_remedy(tmp_path: Path, wrong: Wrong, command: str) -> None:
    assert TENANTS.count(wrong.old) == 1, wrong.old
    path = folder_with(tmp_path, TENANTS.replace(wrong.old, wrong.new))
    (line,) = lines_of(penstock(command, str(path), *COMMANDS[command]))
    told = re.escape(f"{path}{wrong.told}").replace(r"\.\*", ".*")
    assert re.match(told, line), line


def test_all_mistakes_are_told_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = TENANTS
    for old, new in (
        ("name: shop", "name: shop\nname: shop"),
        ("window: 20s", "window: 1s\nsettings: {henge: {reductoin: .5}}"),
        ("checked_jobs:fraud", "checked_jobs:frad"),
        ("latency: 2s", "latncy: 2s"),
        ("topic: clicks", "topci: clicks"),
    ):
        text = text.replace(old, new)
    path = folder_with(tmp_path, text)
    places = [line.removeprefix(f"{path}:").split(": ")[:2] for line in lines_of(penstock("check", str(path)))]
    assert places == [
        ["2:1", "name"],
        ["5:9", "window"],
        ["6:20", "settings.henge.reductoin"],
        ["9:10", "jobs.fraud.job"],
        ["11:14", "jobs.fraud.intent.latncy"],
        ["15:14", "jobs.visits.params.topci"],
    ]


def test_a_file_with_hundreds_of_mistakes_tells_the_first_and_how_many_there_are(tmp_path: Path) -> None:
    jobs = "".join(f"  - {{name: j{n}, job: 'checked_jobs:fraud', intent: {{latncy: 2s}}}}\n" for n in range(90))
    lines = lines_of(penstock("check", str(folder_with(tmp_path, f"jobs:\n{jobs}"))))
    assert len(lines) == 31
    assert re.fullmatch(r"and \d+ more, shown once these are fixed", lines[-1])


def test_more_jobs_than_any_application_has_are_refused(tmp_path: Path) -> None:
    jobs = "  - {name: a, job: 'checked_jobs:fraud', intent: {latency: 2s}}\n" * 1_500
    lines = lines_of(penstock("check", str(folder_with(tmp_path, f"jobs:\n{jobs}"))))
    assert len(lines) == 31
    assert any("give at most 1000" in line for line in lines)


def test_a_right_file_is_told_in_a_line_of_what_it_holds(tmp_path: Path) -> None:
    path = folder_with(tmp_path, TENANTS)
    called = penstock("check", str(path))
    assert (called.returncode, called.stderr) == (0, "")
    assert called.stdout == f"{path}: 2 jobs (fraud, visits) under penstock at local[4]\n"


SHIPPED_SCHEMA = ROOT / "src" / "penstock" / "config" / "tenants.schema.json"
SHIPPED = sorted(path for folder in ("examples", "workloads") for path in (ROOT / folder).glob("*.yaml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_the_files_that_ship_are_right(path: Path) -> None:
    called = penstock("check", str(path))
    assert (called.returncode, called.stderr) == (0, "")


@pytest.mark.parametrize("field", ["cluster: 3", "duration: 1h", "flow: {a: [b]}"])
def test_a_field_of_another_kind_of_file_makes_no_other_file_of_it(tmp_path: Path, field: str) -> None:
    (line,) = lines_of(penstock("check", str(folder_with(tmp_path, f"{TENANTS}{field}\n"))))
    assert re.search(rf":15:1: {field.split(':')[0]}: .* there is no such field", line)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    assert penstock("check", str(folder_with(tmp_path, TENANTS.encode("utf-8-sig")))).returncode == 0


def test_what_the_command_line_says_is_checked_with_the_file(tmp_path: Path) -> None:
    path = str(folder_with(tmp_path, TENANTS + "executors: 4\n"))
    assert penstock("check", path, "--master", "spark://127.0.0.1:7077").returncode == 0
    (line,) = lines_of(penstock("check", path, "--master", "spark://127.0.0.1:7077", "--policy", "hengge"))
    assert line.startswith("--policy: 'hengge' cannot be used; choose one of fifo")
    (line,) = lines_of(penstock("check", path, "--master", "nowhere"))
    assert line.startswith("--master: 'nowhere' cannot be used; write local[4]")


def test_modules_are_left_alone_on_request(tmp_path: Path) -> None:
    path = str(folder_with(tmp_path, TENANTS.replace("checked_jobs:fraud", "of_another_machine:fraud")))
    assert penstock("check", path).returncode == 2
    assert penstock("check", path, "--no-modules").returncode == 0


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import no_such_library", "No module named 'no_such_library'"),
        ("def f(:", "SyntaxError: invalid syntax"),
        ("raise RuntimeError('no\\ncredentials')", "RuntimeError: no"),
        ("raise SystemExit(3)", "it ends the program"),
    ],
)
def test_a_module_that_cannot_be_imported_is_told_with_why(tmp_path: Path, code: str, why: str) -> None:
    (tmp_path / "never_imported.py").write_text(code)
    path = folder_with(tmp_path, TENANTS.replace("checked_jobs:fraud", "never_imported:fraud"))
    (line,) = lines_of(penstock("check", str(path)))
    assert f"'never_imported:fraud' cannot be used; the module cannot be imported: {why}" in line


def test_a_module_that_starts_spark_while_it_is_imported_is_left_for_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Other tests' Spark may be there in this process, and `check` runs where none is.
    monkeypatch.setattr(SparkSession, "_instantiatedSession", None)
    for held in ("_active_spark_context", "_gateway"):
        monkeypatch.setattr(SparkContext, held, None)
    code = "from pyspark.sql import SparkSession\n\nspark = SparkSession.builder.getOrCreate()\n"
    (tmp_path / "starts_spark.py").write_text(code)
    path = folder_with(tmp_path, TENANTS.replace("checked_jobs:fraud", "starts_spark:fraud"))
    assert penstock("check", str(path)).returncode == 0
    path = folder_with(tmp_path, path.read_text().replace("juice: 0.9", "juice: 90"))
    assert len(lines_of(penstock("check", str(path)))) == 1


@pytest.mark.parametrize("path", ["none.yaml", ".", "no/such/tenants.yaml"])
def test_a_file_that_is_none_is_refused(tmp_path: Path, path: str) -> None:
    for command in COMMANDS:
        (line,) = lines_of(penstock(command, str(tmp_path / path)))
        assert "cannot be used; give a file that can be read" in line


def test_a_scenario_and_a_job_to_plan_are_checked_as_what_they_are(tmp_path: Path) -> None:
    assert ": a scenario of 9 jobs for " in penstock("check", "scenarios/henge/fig13.yaml").stdout
    dag = tmp_path / "job.yaml"
    dag.write_text("flow: {parse: [pi]}\n")
    assert penstock("check", str(dag)).stdout == f"{dag}: job: a job of 2 operators to plan\n"
    dag.write_text("flow: {parse: [pi]}\nspeed: 3\n")
    (line,) = lines_of(penstock("check", str(dag)))
    assert line.startswith(f"{dag}:2:1: speed: 3 cannot be used; there is no such field; write one of name, about")


def test_the_schema_is_printed_for_editors() -> None:
    called = penstock("check", "--schema")
    assert called.returncode == 0
    assert called.stdout == SHIPPED_SCHEMA.read_text(encoding="utf-8")


def test_help_shows_examples_and_without_a_file_there_is_nothing_to_check() -> None:
    assert "penstock check tenants.yaml" in penstock("check", "--help").stdout
    assert penstock("check").returncode == 2


STORES = {
    "/proc/nowhere/runs.sqlite": "give a path that can be written",
    "{}/checked_jobs.py": "give another path: this file is not of SQLite",
    "{}": "it is a folder; give the path of a file",
    "{}/tenants.yaml/runs.sqlite": "give a path that can be written",
    "mysql://ann@host/runs": "write a path, or postgresql://user@host/database",
}


@pytest.mark.parametrize("store", STORES)
def test_a_store_that_cannot_be_written_is_refused_before_spark_starts(tmp_path: Path, store: str) -> None:
    path = folder_with(tmp_path, TENANTS)
    (line,) = lines_of(penstock("run", str(path), "--for", "1s", "--store", store.format(tmp_path)))
    assert re.match(r"(--)?store: ", line)
    assert STORES[store] in line


OUTPUTS = {
    "run": ("{}/tenants.yaml", "--for", "1s", "--json"),
    "demo": ("--html",),
    "demo, its store": ("--store",),
    "doctor": ("--json",),
    "profile": ("pi", "--json"),
    "profile, its models": ("pi", "--out"),
    "profile of a job": ("{}/tenants.yaml:fraud", "--scaleouts", "1,2", "--master", "spark://127.0.0.1:9", "--out"),
    "attach": ("--tenants", "{}/tenants.yaml", "--json"),
}


@pytest.mark.parametrize("where", ["/proc/nowhere/out", "{}", "{}/tenants.yaml/out"])
@pytest.mark.parametrize("command", OUTPUTS)
def test_an_output_that_cannot_be_written_is_refused_before_spark_starts(
    tmp_path: Path, command: str, where: str
) -> None:
    folder_with(tmp_path, TENANTS)
    *given, option = (word.format(tmp_path) for word in OUTPUTS[command])
    (line,) = lines_of(penstock(command.split(",")[0].split()[0], *given, option, where.format(tmp_path)))
    assert line.startswith(f"{option}: '{where.format(tmp_path)}'")


def test_a_file_that_is_none_of_models_is_refused_before_spark_starts(tmp_path: Path) -> None:
    path = folder_with(tmp_path, TENANTS)
    (line,) = lines_of(penstock("profile", "pi", "--out", str(path)))
    assert line == f"--out: '{path}' cannot be used; it is no file of models: write `tasks`, or name another"


def test_an_output_that_can_be_written_is_left_as_it_was_until_there_is_something_to_write(tmp_path: Path) -> None:
    there, new = tmp_path / "there.json", tmp_path / "new.json"
    there.write_text("before")
    for out in (there, new):
        check_out_file(str(out), "--json")
    check_out_file("-", "--json")
    assert (there.read_text(), new.exists()) == ("before", False)


def test_a_store_that_can_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    from penstock.store.open import check_writable, open_store

    path = tmp_path / "new" / "runs.sqlite"
    check_writable(str(path), "--store")
    assert not path.exists()
    with open_store(path).database.writing():
        pass
    before = path.read_bytes()
    check_writable(str(path), "--store")
    assert path.read_bytes() == before
