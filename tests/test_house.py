"""The joints of the house: what a lever, a policy or an engine touches; nothing that only a test calls; two walks."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from penstock.core.levers import Kind, Move
from tests.floors import calls_upwards

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "penstock"
PUBLIC = SOURCE / "__init__.pyi"  # whoever uses the package calls those
KINDS = {move.__name__ for move in get_args(Move)}
POLICIES = {"Combined", "Ds2", "Fair", "HandsOff", "Henge", "Phoebe", "Reactive", "Twres"}

# Who may call what the package itself does not: jobs and examples that ship beside it, and readers of the docs.
BESIDE = ("workloads", "examples")
# Called by no name: by a framework, or by whoever uses the class.
UNNAMED = {
    "capture_signals",  # of uvicorn
    "connection_made",  # of asyncio.Protocol
    "connection_lost",
    "data_received",
    "pause_writing",
    "resume_writing",
    "redirect_request",  # of urllib
    "http_open",
    "https_open",
    "collect",  # of prometheus_client
    "format_commands",  # of click
    "make_context",
    "split_envvar_value",
    "process_bind_param",  # of SQLAlchemy
    "column_expression",
    "result_processor",
    "process_result_value",
    "applyInPandasWithState",  # of Spark's GroupedData
    "startElement",  # of expat
    "characters",
    "readable",  # of io.RawIOBase
    "readinto",
    "Forecaster",  # a port: what fills it does not name it
    "utility_at",  # of any objective, by whoever scores an intent of his own
}
FAKE = SOURCE / "engines" / "spark" / "fake"  # what it does on command is for the tests of whoever uses it


@cache
def trees() -> dict[Path, ast.Module]:
    """Every module of the package."""
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in sorted(SOURCE.rglob("*.py"))}


@cache
def nodes() -> dict[Path, tuple[ast.AST, ...]]:
    """All of each module, in one list: to walk through them takes longer than whatever is looked for."""
    return {file: tuple(ast.walk(tree)) for file, tree in trees().items()}


def test_no_two_types_have_one_name() -> None:
    homes: dict[str, list[str]] = {}
    for file, tree in trees().items():
        for name in filter(None, map(_type_name, tree.body)):
            homes.setdefault(name, []).append(str(file.relative_to(SOURCE)))
    assert {name: rooms for name, rooms in homes.items() if len(rooms) > 1} == {}


def _type_name(node: ast.stmt) -> str | None:
    """Of a class, or of an alias such as `Floats`, private ones, too; constants are written otherwise."""
    name = None
    if isinstance(node, ast.ClassDef):
        name = node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign) and not _is_type_variable(node.value):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        name = target.id if isinstance(target, ast.Name) else None
    return name if name is not None and re.fullmatch(r"_?[A-Z]+[a-z]\w*", name) else None


def _is_type_variable(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and getattr(value.func, "id", None) == "TypeVar"


def test_no_file_has_more_than_400_lines_and_no_function_more_than_40() -> None:
    long = {str(file) for file in trees() if len(file.read_text(encoding="utf-8").splitlines()) > 400}
    long |= {
        f"{file}: {node.name}"
        for file, found in nodes().items()
        for node in found
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _lines(node) > 40
    }
    assert long == set()


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Of what it does: without the head and the docstring."""
    does = function.body[ast.get_docstring(function) is not None :]
    return ((does[-1].end_lineno or 0) - does[0].lineno + 1) if does else 0


@cache
def imports() -> tuple[tuple[str, str, frozenset[str]], ...]:
    """Each import of names: the room, as a path below the package, the module, and the names."""
    return tuple(
        (str(file.relative_to(SOURCE)), node.module, frozenset(name.name for name in node.names))
        for file, found in nodes().items()
        for node in found
        if isinstance(node, ast.ImportFrom) and node.module is not None
    )


def importers(prefix: str, names: set[str]) -> set[str]:
    """The rooms that import one of those names from a module of that prefix."""
    return {room for room, module, found in imports() if module.startswith(prefix) and names & found}


def test_a_lever_is_a_kind_an_engines_lever_and_a_planners_rule() -> None:
    """Limits, undo, words, stores, pages, approval and verdicts go by kinds, and name no lever's own class."""
    allowed = (
        "engines/",
        "planning/",
        "actuation/order.py",
        "governing/remembering.py",
    )  # the latter: a driver starts with the memory it was told
    found = importers("penstock.core.levers", KINDS - {"Slots", "Tasks", "Table"})
    assert {room for room in found if not room.startswith(allowed)} == set()


def test_a_lever_of_spark_is_known_to_its_own_file_but_for_two_that_other_parts_call() -> None:
    called = {"SlotsLever", "BatchBoundLever"}
    levers = "penstock.engines.spark.levers"
    found = {name for _, module, names in imports() if module.startswith(levers) for name in names}
    assert {name for name in found if name.endswith("Lever")} == {"Lever"} | called
    files = {file.stem for file in (SOURCE / "engines" / "spark" / "levers").iterdir()}
    assert {kind for kind in get_args(Kind) if kind not in files} == {"bound"}  # batch_bound.py


def test_the_parts_of_a_round_are_put_together_in_one_place() -> None:
    """For a simulated world, for a controller and for a coordinator alike."""
    calls = {
        str(file.relative_to(SOURCE))
        for file, found in nodes().items()
        for node in found
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "Loop"
    }
    assert calls == {"running/session.py"}


def test_a_policy_is_known_to_the_registry_and_to_policies_that_are_made_of_it() -> None:
    found = importers("penstock.planning", POLICIES)
    assert {room for room in found if not room.startswith("planning/")} == set()


SYSTEMS = ("henge", "phoebe", "provision", "routing")


def test_the_four_systems_meet_in_one_file() -> None:
    """Others name them: the registry and its settings by what users write, `penstock plan` and `penstock route`."""
    rooms = {
        system: {
            room
            for room, module, _ in imports()
            if module.startswith(f"penstock.planning.{system}.") and not room.startswith(f"planning/{system}/")
        }
        for system in SYSTEMS
    }
    assert set.intersection(*rooms.values()) == {"planning/combined.py"}
    naming = {room for room in set.union(*rooms.values()) if not room.startswith(("calls/", "cli/"))}
    assert naming == {"planning/combined.py", "planning/combined_settings.py", "planning/registry.py"}


def test_profiling_has_two_doors_and_who_comes_in_is_a_call_or_a_command() -> None:
    assert {file.relative_to(SOURCE).parts[1] for file in trees() if file.is_relative_to(SOURCE / "profiling")} == {
        "__init__.py",
        "jobs",
        "tasks",
    }
    coming = {
        (room, module.split(".")[2])
        for room, module, _ in imports()
        if module.startswith("penstock.profiling.") and not room.startswith("profiling/")
    }
    assert coming == {
        ("calls/measured.py", "jobs"),
        ("calls/measured.py", "tasks"),
        ("cli/profile.py", "tasks"),
        ("cli/profile_job.py", "jobs"),
    }


def test_what_governs_knows_no_engine() -> None:
    """Spark is named where an application of it is started, asked for and told of."""
    known = {room.split("/")[0] for room, module, _ in imports() if module.startswith("penstock.engines.spark")}
    assert known == {"calls", "cli", "engines", "governing", "profiling"}


def test_files_of_users_are_read_by_what_knows_no_engine() -> None:
    assert {
        room for room, module, _ in imports() if room.startswith("config/") and "penstock.engines" in module
    } == set()


def test_a_file_for_another_engine_is_run_by_what_names_none() -> None:
    """Nor does the controller; the file is checked by config/engine_file.py."""
    on_the_way = {"config/engine_file.py", "governing/on_engine.py", "governing/controller.py", "governing/story.py"}
    named = {room for room, module, _ in imports() if module.startswith("penstock.engines.spark")}
    assert on_the_way <= {str(file.relative_to(SOURCE)) for file in trees()}
    assert on_the_way & named == set()


def test_the_spark_engine_puts_parts_together_and_does_no_more() -> None:
    assert len((SOURCE / "engines" / "spark" / "engine.py").read_text(encoding="utf-8").splitlines()) < 100


# What starts processes of its own, beside `local/`: none of them is a server that a command starts and another ends. In
# `local/` are those of tools, too (openssl, ip, Maven), which end at once: elsewhere nobody runs one.
OWN_PROCESSES = {
    "governing/drivers.py",  # drivers and copies of tenants: penstock itself, started again
    "governing/groups.py",
    "profiling/jobs/copies.py",
    "profiling/jobs/rehearse.py",  # a driver that looks at the job, and ends
    "governing/standing.py",
    "web/aside.py",  # what a page asks the simulator
    "workloads/services/object_server.py",  # objects for a task, as long as it is profiled
}


def test_what_is_started_on_this_machine_is_started_in_one_place() -> None:
    starting = re.compile(
        r"\bPopen\(|\bprocesses\.start\(|\bsubprocess\.(run|call|check_\w+|getoutput)\(|\bcreate_subprocess_\w+\("
        r"|\bos\.(exec|spawn|posix_spawn|fork|popen|system)\w*\("
    )
    found = {str(file.relative_to(SOURCE)) for file in trees() if starting.search(file.read_text(encoding="utf-8"))}
    assert {file for file in found if not file.startswith("local/")} == OWN_PROCESSES
    assert {f"local/{room}" for room in ("spark", "yarn", "kubernetes", "kafka", "postgres.py")} <= {
        "/".join(file.split("/")[:2]) for file in found
    }


def test_nothing_is_there_that_only_a_test_or_a_benchmark_calls() -> None:
    called = _called()
    uncalled = {
        f"{file.relative_to(SOURCE)}: {node.name}"
        for file, tree in trees().items()
        if not file.is_relative_to(FAKE)
        for node in _defined(tree)
        if called[node.name] <= _by_itself(node) and node.name not in UNNAMED
    }
    assert uncalled == set()


# Imported by their names as texts: by Python itself, by Spark's daemon, by users on a command line or in a job.
BY_NAME = {
    "__main__.py",
    "engines/spark/profiling/daemon.py",
    "web/what_if_process.py",
    "workloads/rows.py",
    "workloads/tasks/operator.py",
}


def test_no_module_is_there_that_only_tests_or_benchmarks_import() -> None:
    """A name that others have, too, hides a caller's want from the test above; a module has one name alone."""
    beside = [ast.parse(file.read_text(encoding="utf-8")) for file in _beside() if file.suffix == ".py"]
    scripts = [ast.parse(file.read_text(encoding="utf-8")) for file in (ROOT / "scripts").glob("*.py")]
    public = ast.parse(PUBLIC.read_text(encoding="utf-8"))
    imported = {name for tree in (*trees().values(), public, *beside, *scripts) for name in _modules_of(tree)}
    entry_points = re.findall(r'"(penstock\.[\w.]+):\w+"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    rooms = {str(file.relative_to(SOURCE)) for file in trees() if file.name != "__init__.py"}
    unnamed = {room for room in rooms if "penstock." + room.removesuffix(".py").replace("/", ".") not in imported}
    unnamed -= {point.removeprefix("penstock.").replace(".", "/") + ".py" for point in entry_points}
    found_by_kind = {room for room in rooms if room.startswith(("cli/", "engines/spark/levers/", "planning/rules/"))}
    assert unnamed - found_by_kind == BY_NAME


def _modules_of(tree: ast.Module) -> Iterator[str]:
    """Whatever it imports, as if each name were a module's."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _defined(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Functions, classes and methods that nobody registers with a decorator, as commands and routes are."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not _registered(node):
            yield node
        for inner in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_") and not _registered(inner):
                yield inner


def _by_itself(node: ast.FunctionDef | ast.ClassDef) -> int:
    """How often it names itself, but for what it overrides: a class that only its own methods make has no caller."""
    inside = list(ast.walk(node))
    named = [inner for inner in inside if isinstance(inner, ast.Attribute) and inner.attr == node.name]
    return _read(inside)[node.name] - sum(ast.unparse(inner.value) == "super()" for inner in named)


def _read(found: Iterable[ast.AST]) -> Counter[str]:
    """Names as they are read, imported or looked up by a text."""
    names: Counter[str] = Counter()
    for node in found:
        if isinstance(node, ast.Name):
            names[node.id] += 1
        elif isinstance(node, ast.Attribute):
            names[node.attr] += 1
        elif isinstance(node, ast.ImportFrom):
            names.update(name.name for name in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.update(re.findall(r"\w+", node.value) if " " not in node.value else ())
    return names


def _registered(node: ast.FunctionDef | ast.ClassDef) -> bool:
    plain = ("property", "staticmethod", "classmethod", "cache", "dataclass", "contextmanager", "total_ordering")
    told = {ast.unparse(one).partition("(")[0].rpartition(".")[2] for one in node.decorator_list}
    return node.name.startswith("__") or bool(told - {*plain, "lru_cache", "cached_property", "overload"})


def _called() -> Counter[str]:
    """Names that the package reads; and those that docs and the files beside show."""
    found: Counter[str] = Counter()
    for module in (*nodes().values(), ast.walk(ast.parse(PUBLIC.read_text(encoding="utf-8")))):
        found.update(_read(module))
    for file in _beside():
        found.update(re.findall(r"\w+", file.read_text(encoding="utf-8")))
    for page in (*ROOT.glob("docs/*.md"), ROOT / "README.md"):
        found.update(re.findall(r"\b(\w+)\(", page.read_text(encoding="utf-8")))
    return found


def _beside() -> Iterator[Path]:
    for folder in BESIDE:
        yield from (file for file in (ROOT / folder).rglob("*") if file.suffix in {".py", ".yaml"})


# With so many functions and files; tests/test_walks.py sees to it that none is missing.
WALKS = {"From an intent in YAML to a pool of Spark": (20, 18), "From an event to a decision": (12, 11)}


def stays(heading: str) -> list[tuple[str, str]]:
    """The functions of one of the walks in docs/results/house.md, each with the one that calls it, if it is told."""
    page = (ROOT / "docs" / "results" / "house.md").read_text(encoding="utf-8")
    section = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| \d+ \| `([^`]+)` \| `?([^`|]*?)`? \|", section, re.MULTILINE)


@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_leads_from_function_to_function_and_never_upwards(walk: str) -> None:
    for function, caller in stays(walk):
        assert _body(function) is not None
        if caller:
            name = function.rpartition(":")[2].rpartition(".")[2]
            assert name in _names(_body(caller)), f"{caller} does not call {name}"
            assert not calls_upwards(caller, function), f"{caller} calls upwards"


@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_leads_through_few_functions_and_files(walk: str) -> None:
    functions = [function for function, _ in stays(walk)]
    assert (len(functions), len({function.partition(":")[0] for function in functions})) == WALKS[walk]


@pytest.mark.parametrize("walk", WALKS)
def test_nothing_on_a_walk_only_hands_on_what_it_got(walk: str) -> None:
    assert [function for function, _ in stays(walk) if _only_hands_on(_body(function))] == []


def _only_hands_on(function: ast.AST) -> bool:
    """Whether it is one call, with the arguments that it was called with."""
    assert isinstance(function, ast.FunctionDef)
    said = [node for node in function.body if not isinstance(getattr(node, "value", None), ast.Constant)]
    call = getattr(said[0], "value", None) if len(said) == 1 else None
    given = [*call.args, *(one.value for one in call.keywords)] if isinstance(call, ast.Call) else None
    own = [one.arg for one in function.args.args if one.arg not in ("self", "cls")]
    return given is not None and [ast.unparse(one) for one in given] == own


def _body(function: str) -> ast.AST:
    """`file:Class.function` below the package."""
    file, _, path = function.partition(":")
    node: ast.AST = trees()[SOURCE / file]
    for name in path.split("."):
        node = next(one for one in ast.iter_child_nodes(node) if getattr(one, "name", None) == name)
    return node


def _names(node: ast.AST) -> set[str]:
    return {str(getattr(one, "id", "") or getattr(one, "attr", "")) for one in ast.walk(node)}
