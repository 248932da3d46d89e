"""`import penstock as ps`: every public name is there at first use, and none costs anything before."""

import ast
import importlib
import inspect
import subprocess
import sys

import pytest

import penstock as ps


@pytest.mark.parametrize("name", ps.__all__)
def test_every_public_name_is_what_its_home_calls_so(name: str) -> None:
    home = importlib.import_module(vars(ps)["_HOMES"][name])
    assert getattr(ps, name) is getattr(home, name)


def test_the_names_are_shown_before_they_are_used() -> None:
    assert set(ps.__all__) <= set(dir(ps))


def test_type_checkers_see_each_name_where_it_is_imported_from() -> None:
    seen = {
        name.name: statement.module
        for statement in ast.walk(ast.parse(inspect.getsource(ps)))
        if isinstance(statement, ast.ImportFrom) and statement.module != "typing"
        for name in statement.names
    }
    assert seen == vars(ps)["_HOMES"]
    assert sorted(seen) == sorted(ps.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'penstock' has no attribute 'nothing'"):
        vars(ps)["__getattr__"]("nothing")


def test_importing_penstock_imports_nothing_else_of_it() -> None:
    code = "import penstock, sys; print(*(name for name in sys.modules if name.startswith('penstock.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
