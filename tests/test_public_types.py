"""Whatever a public function takes or gives can be named: `ps.Verdict` in a signature of one's own."""

import subprocess
import sys
from pathlib import Path

import pytest

import penstock as ps
from tests.public_types import described, met

SHOWN = described((Path(__file__).parents[1] / "docs" / "reference" / "python.md").read_text(encoding="utf-8"))
PUBLIC = {getattr(ps, name) for name in ps.__all__ if isinstance(getattr(ps, name), type)}


@pytest.mark.parametrize("name", ps.__all__)
def test_every_type_that_it_takes_or_gives_has_a_public_name(name: str) -> None:
    unnamed = [
        f"{where} is a {kind.__module__}.{kind.__name__}" for where, kind in met(name, SHOWN) if kind not in PUBLIC
    ]
    assert unnamed == []


def test_a_type_that_has_none_is_found() -> None:
    """With all of its members a controller would show what drives it."""
    everything = {kind.__name__ for _, kind in met("Controller", {"Controller": None})}
    assert "Governed" in everything - {kind.__name__ for kind in PUBLIC}


@pytest.mark.parametrize("name", sorted(name for name, members in SHOWN.items() if members))
def test_members_that_the_reference_picks_are_there(name: str) -> None:
    public = getattr(ps, name)
    missing = {one for one in SHOWN[name] or () if not hasattr(public, one) and one not in public.__annotations__}
    assert missing == set()


def test_naming_types_imports_neither_spark_nor_anything_heavy() -> None:
    heavy = "pyspark numpy matplotlib fastapi sklearn pymetis sqlalchemy pandas"
    met_in_code = "ps.Verdict, ps.DecisionRecord, ps.Run, ps.Cycle, ps.View"
    code = f"import penstock as ps, sys; {met_in_code}; print(*(set('{heavy}'.split()) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
