"""`import penstock as ps`: every public name is there at first use, and none costs anything before."""

import ast
import doctest
import importlib
import importlib.util
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FunctionType

import click
import pytest

import penstock as ps
from penstock.cli.lazy_command import LazyCommand
from penstock.cli.main import cli
from tests.public_types import names_at

HOMES: Mapping[str, str] = vars(ps)["_homes"]()
STUB = Path(inspect.getfile(ps)).with_suffix(".pyi")


@pytest.mark.parametrize("name", ps.__all__)
def test_every_public_name_is_what_its_home_calls_so(name: str) -> None:
    home = importlib.import_module(HOMES[name])
    assert getattr(ps, name) is getattr(home, name)


def test_a_star_takes_in_all_that_the_other_module_says_is_public() -> None:
    namespace: dict[str, object] = {}
    exec("from penstock import *", namespace)
    assert namespace.keys() - {"__builtins__"} == set(ps.__all__)


def test_the_names_are_shown_before_they_are_used() -> None:
    assert set(ps.__all__) <= set(dir(ps))


def test_type_checkers_see_each_name_where_it_is_imported_from() -> None:
    """To a type checker only what is imported as what it is called is a name of the module."""
    seen = [
        (name.asname, name.name, statement.module)
        for statement in ast.parse(STUB.read_text(encoding="utf-8")).body
        if isinstance(statement, ast.ImportFrom)
        for name in statement.names
        if name.name != "*"  # of those a type checker sees what the module's `__all__` names
    ]
    of_star = importlib.import_module("penstock.core.levers").__all__
    told = [(name, name, HOMES[name]) for name in ps.__all__ if name not in of_star]
    assert sorted(seen) == told
    assert {HOMES[name] for name in of_star} == {"penstock.core.levers"}


REFERENCE = (Path(__file__).parents[1] / "docs" / "reference" / "python.md").read_text(encoding="utf-8")


def test_the_reference_describes_every_public_name_and_no_other() -> None:
    described = [name for path in re.findall(r"^::: ([\w.]+)$", REFERENCE, re.MULTILINE) for name in names_at(path)]
    assert sorted(described) == sorted(f"{home}.{name}" for name, home in HOMES.items())


@pytest.mark.parametrize("name", ps.__all__)
def test_every_public_name_says_what_it_is(name: str) -> None:
    what = getattr(ps, name)
    # An alias of a type says it where it is used.
    assert what.__doc__ or not isinstance(what, type | FunctionType), name


def commands() -> Iterator[str]:
    """Each command, and each within a group."""
    for name, waiting in cli.commands.items():
        command = waiting.awaited() if isinstance(waiting, LazyCommand) else waiting
        yield from (f"{name} {inner}" for inner in command.commands) if isinstance(command, click.Group) else (name,)


def test_every_command_is_a_call() -> None:
    """Acts of `penstock control` are words of one call, and its `show` is part of `present`."""
    table = dict(re.findall(r"^\| `penstock ([^`]+)` \| `ps\.(\w+)\(", REFERENCE, re.MULTILINE))
    assert set(table.values()) <= set(ps.__all__)
    missing = [line for line in commands() if line not in table and not line.startswith("control ")]
    assert missing == ["completion"]


def test_a_name_that_is_to_go_works_on_and_says_what_to_write_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(ps)["_GOING"], "rule", ("govern", "0.3"))
    with pytest.warns(
        ps.GoingWarning, match=r"penstock\.rule goes with penstock 0\.3: write penstock\.govern"
    ) as heard:
        assert vars(ps)["__getattr__"]("rule") is ps.govern
    assert heard[0].filename == __file__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'penstock' has no attribute 'nothing'"):
        vars(ps)["__getattr__"]("nothing")


def test_importing_penstock_imports_nothing_else_of_it() -> None:
    code = "import penstock, sys; print(*(name for name in sys.modules if name.startswith('penstock.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize(
    "example",
    [
        "driver.py",
        "policy/src/steady_policy/__init__.py",
        "sink/src/statsd_sink/__init__.py",
        "../tests/engines/toy/engine.py",
    ],
)
def test_a_driver_a_policy_a_sink_and_an_engine_of_ones_own_need_nothing_but_public_names(example: str) -> None:
    """Mypy checks them strictly, as it does all examples."""
    tree = ast.parse((EXAMPLES / example).read_text(encoding="utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    assert {module for module in modules if module.startswith("penstock")} == set()
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is_ps(node.value)}
    assert used <= set(ps.__all__)


def test_the_settings_of_the_example_are_ones() -> None:
    spec = importlib.util.spec_from_file_location("driver", EXAMPLES / "driver.py")
    assert spec is not None
    assert spec.loader is not None
    driver = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(driver)
    assert driver.policy().settings.henge.reduction == 0.7
    assert doctest.testmod(driver, optionflags=doctest.ELLIPSIS) == (0, 2)


def _is_ps(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "ps"
