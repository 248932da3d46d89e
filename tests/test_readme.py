"""What a newcomer reads holds: it is short, its links lead somewhere, its commands and its code are ours."""

import ast
import itertools
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

import penstock as ps
from penstock.cli.lazy_command import LazyCommand
from penstock.cli.main import cli
from penstock.config.coordination import read_coordination
from penstock.config.plan_job import read_plan_job
from penstock.config.tenants import read_tenants
from tests.cli.calling import penstock
from tests.patience import eventually

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")] + sorted(
    ROOT.glob("docs/**/*.md")
)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
COMMAND = re.compile(r"^(?:    |# )(?:sudo |\.venv/bin/|[A-Z_]+=\S+ )?(penstock .+)", re.MULTILINE)


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def commands() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for found in COMMAND.findall(page.read_text(encoding="utf-8")):
            yield f"{page.relative_to(ROOT)}: {found.strip()}", found.strip()


def test_the_readme_is_short() -> None:
    assert len(README.encode()) <= 6_000


def test_nobody_is_sent_to_the_package_of_that_name_in_the_registry() -> None:
    """It is somebody else's."""
    bare = re.compile(r"pip install [^`#]*\bpenstock\b(?![\[/-])[^`#\n]*")
    texts = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
    assert {name: found for name, text in texts.items() if (found := bare.findall(text))} == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_table_has_a_head_and_no_row_stands_alone(page: Path) -> None:
    """Or the site shows it as text: a paragraph that came between cuts a table in two."""
    lines = iter(re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL).splitlines())
    tables = [list(rows) for is_row, rows in itertools.groupby(lines, lambda line: line.startswith("|")) if is_row]
    assert [rows[0] for rows in tables if not re.fullmatch(r"[|:\- ]+", rows[min(1, len(rows) - 1)])] == []


def test_every_page_of_the_docs_is_on_the_site() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    pages = {str(page.relative_to(ROOT / "docs")) for page in ROOT.glob("docs/**/*.md")}
    assert set(re.findall(r"([\w/-]+\.md)", nav)) == pages


def test_at_least_twenty_choices_are_on_record() -> None:
    page = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^\d+\. \*\*", page, re.MULTILINE)) >= 20


@pytest.mark.parametrize("code", blocks(README, "python"))
def test_its_code_compiles_and_uses_public_names(code: str) -> None:
    used = {node.attr for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute) and _is_ps(node.value)}
    assert {name for name in used if not hasattr(ps, name)} == set()
    assert "govern" in used


def _is_ps(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "ps"


class Driver(ps.FakeSpark):
    """What the README's driver is given for Spark; its queries end once they were governed for some rounds."""

    def __init__(self, governed: list[ps.Controller]) -> None:
        super().__init__(slots=4)
        self._governed = governed
        self.streams = self

    def awaitAnyTermination(self) -> None:  # noqa: N802
        eventually(lambda: len(self._governed[0].views) > 2)


def _start_queries(spark: Driver) -> None:
    for name in ("fraud", "reports", "clicks"):
        spark.start_foreign(name)
        spark.commit(name)


def test_its_driver_runs_and_what_it_says_to_ask_then_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the fake, with short rounds; `top` and `serve` go on until they are stopped, and have tests of their own."""
    governed = list[ps.Controller]()
    govern = ps.govern

    def in_short(*given: Any, **named: Any) -> ps.Controller:
        governed.append(govern(*given, **named, interval=0.05))
        return governed[0]

    monkeypatch.setattr(ps, "govern", in_short)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(README, "python")
    exec(code, {"spark": Driver(governed), "start_my_queries": _start_queries})
    assert {job.name for job in governed[0].views[-1].jobs} == {"fraud", "reports", "clicks"}
    asked = [line for line in COMMAND.findall(README) if re.match(r"penstock (explain|report) last", line)]
    assert len(asked) == 2
    for line in asked:
        told = penstock(*shlex.split(line, comments=True)[1:])
        assert told.returncode == 0, told.stderr
        assert told.stdout or (tmp_path / "report.html").exists()


def test_the_files_that_it_has_checked_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (line,) = re.findall(r"^    penstock (check .+?)(?:  #|$)", README, re.MULTILINE)
    told = penstock(*line.split())
    assert (told.returncode, "3 jobs (fraud, revenue, visits)" in told.stdout) == (0, True)


def test_its_tenants_file_is_one(tmp_path: Path) -> None:
    (text,) = blocks(README, "yaml")
    file = tmp_path / "tenants.yaml"
    file.write_text(text, encoding="utf-8")
    tenants = read_tenants(file)
    shipped = yaml.safe_load((ROOT / "examples" / "tenants.yaml").read_text(encoding="utf-8"))
    assert [job.name for job in tenants.jobs] == [job["name"] for job in shipped["jobs"]]


def _tenants_shown() -> Iterator[str]:
    """Each piece of a tenants file that the pages show, fenced or indented."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        indented = re.findall(r"(?:^(?:    .*)?\n)+", text, re.MULTILINE)
        yield from (
            code for code in (*blocks(text, "yaml"), *indented) if re.search(r"^ +- name: ", code, re.MULTILINE)
        )


def test_what_the_pages_show_of_tenants_files_is_yaml() -> None:
    shown = [yaml.safe_load(code) for code in _tenants_shown()]
    assert len(shown) > 4


def test_the_tutorials_tenants_file_is_right_beside_its_function(tmp_path: Path) -> None:
    tutorial = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    for language, name in (("python", "shop_jobs.py"), ("yaml", "tenants.yaml")):
        (code,) = blocks(tutorial, language)
        (tmp_path / name).write_text(code, encoding="utf-8")
    # In a process of its own: the examples' module has the same name.
    command = Path(sys.executable).with_name("penstock")
    told = subprocess.run([command, "check", tmp_path / "tenants.yaml"], capture_output=True, text=True, check=False)
    assert (told.returncode, "one job (fraud)" in told.stdout, told.stderr) == (0, True, "")


def test_the_files_of_a_plan_and_of_a_fleet_that_the_docs_show_are_right(tmp_path: Path) -> None:
    for page, first in (("planning", "name: shop"), ("fleet", "name: lab")):
        text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
        (code,) = (found for found in blocks(text, "yaml") if found.startswith(first))
        (tmp_path / f"{page}.yaml").write_text(code, encoding="utf-8")
    assert read_plan_job(str(tmp_path / "planning.yaml")).topology.operators == ("parse", "score", "store")
    assert list(read_coordination(tmp_path / "fleet.yaml").applications) == ["fraud"]


@pytest.mark.parametrize("target", re.findall(r"^    make (\S+)", README, re.MULTILINE))
def test_its_targets_are_in_the_makefile(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("line", [line for _, line in commands()], ids=[name for name, _ in commands()])
def test_every_command_in_the_docs_has_such_a_form(line: str) -> None:
    _, *words = itertools.takewhile(lambda word: word not in ("|", "&&", ">"), shlex.split(line, comments=True))
    command: click.Command = cli
    while isinstance(command, click.Group) and words:
        found = command.commands.get(words[0])
        assert found is not None, f"there is no command {words[0]!r} in {line!r}"
        command = found.awaited() if isinstance(found, LazyCommand) else found
        words = words[1:]
    known = {
        option for one in command.params if isinstance(one, click.Option) for option in (*one.opts, *one.secondary_opts)
    }
    used = {word.partition("=")[0] for word in words if re.fullmatch(r"-{1,2}[a-z][\w-]*(=.*)?", word)}
    assert used - known - {"--help"} == set()


def test_each_word_of_the_glossary_stands_once_and_alone() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    words = [word for word in rows if word != "word"]
    assert len(words) == len(set(words)) > 40
    assert [word for word in words if "," in word or "/" in word] == []
