"""`penstock plan`: what it prints, what it writes, and what it refuses in one line."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from penstock.cli import planned
from penstock.cli.main import cli
from penstock.errors import PenstockError
from penstock.planning.provision import place


def run(*args: object) -> Result:
    return CliRunner().invoke(cli, ["plan", *map(str, args)])


def document(*args: object) -> dict[str, object]:
    result = run(*args, "--json", "-")
    assert result.exit_code == 0, result.output
    found: dict[str, object] = json.loads(result.stdout)
    return found


def test_it_works_at_once_and_shows_plan_prediction_price_and_picture() -> None:
    shown = run().output
    for part in ("linear at 100 rows/s", "170", "0.784 USD/h", "Predicted: 100 rows/s", "80 with even", "[50 blob]"):
        assert part in shown


def test_the_document_has_the_whole_plan() -> None:
    found = document("star", "--rate", 240, "--machines", "4,4,4,4,4")
    assert (found["slots"], found["slots_acquired"], found["predicted_rate"]) == (20, 20, pytest.approx(240))
    on = found["threads_on"]
    assert isinstance(on, list)
    assert sum(sum(place["threads"].values()) for place in on) == 400 + 360 + 2 + 9 + 1


def test_compare_sets_the_five_pairs_of_the_paper_and_best_side_by_side() -> None:
    found = document("linear", "--rate", 200, "--compare")["compare"]
    assert isinstance(found, list)
    ours = ("mba+rsm-by-need", "mba+sam-by-need", "mba+best")
    by_pair = {row["pair"]: row for row in found}
    assert [pair for pair in by_pair if pair not in ours] == ["lsa+dsm", "lsa+rsm", "mba+dsm", "mba+rsm", "mba+sam"]
    assert by_pair["lsa+rsm"]["slots"] == 25
    assert [by_pair[pair]["slots_used"] for pair in ("mba+sam", *ours)] == [16, 14, 15, 15]


def test_compare_says_for_which_task_a_pair_finds_no_room() -> None:
    shown = run("linear", "--rate", 200, "--machines", "4,4,4,4,2", "--compare").output
    assert "no room for" in shown


def test_compare_says_which_pairs_are_too_large_and_goes_on_with_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "MOST_BY_THREAD", 100)
    monkeypatch.setattr(planned, "MOST_COMPARED", 500)
    found = {row["pair"]: row for row in document("linear", "--rate", 150, "--compare")["compare"]}  # type: ignore[attr-defined]
    assert "takes a thread at a time, 100 at most, of 129" in found["lsa+rsm"]["error"]
    assert found["lsa+dsm"]["slots_used"] == 20
    shown = run("linear", "--rate", 200, "--compare").output
    assert "mba+sam: --compare: '635 threads' cannot be used; it places 500 at most by each pair" in " ".join(
        shown.split()
    )


def test_a_change_of_rate_tells_what_moves() -> None:
    moves = document("linear", "--rate", 130, "--from", 100, "--machines", "4,4")["moves"]
    assert moves["started"]["blob"] == 50  # type: ignore[index]
    assert sum(moves["moved"].values()) == 21  # type: ignore[index]
    assert "Nothing changes" in run("linear", "--rate", 100, "--from", 100).output


def test_a_job_of_ones_own_with_its_models_and_machines(tmp_path: Path) -> None:
    model = "points: [{threads: 1, rate_rps: 50, cpu: 0.5, memory: 0.1}]"
    models = f"models: {{a: {{{model}}}, b: {{{model}}}}}"
    text = f"flow: {{a: [b]}}\nselectivity: {{a: 0.5}}\n{models}\nmachines: {{2: null}}\n"
    job = tmp_path / "job.yaml"
    job.write_text(text)
    found = document(job, "--rate", 100)
    assert found["operators"]["b"]["threads"] == 1  # type: ignore[index]
    assert found["price_per_hour"] is None


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("models: {a: {points: []}}", "models: a.points: [] cannot be used; give at least one point"),
        (
            "models: {a: {points: [{threads: 1, rate_rps: 0, cpu: 0, memory: 0}]}}",
            "models: a.points: [1] cannot be used",
        ),
        ("tasks: {a: pie}", "tasks.a: 'pie' cannot be used; there is no model of this task, only of: parse"),
        ("{tasks: {a: pi}, machines: {0: 1.0}}", "machines: 0 cannot be used; a machine needs slots"),
        ("{tasks: {a: pi}, machines: {}}", "machines: {} cannot be used; give at least one size in slots"),
    ],
)
def test_a_jobs_file_with_a_mistake_is_one_clear_error(tmp_path: Path, field: str, message: str) -> None:
    job = tmp_path / "job.yaml"
    job.write_text(yaml.safe_dump({"flow": {"a": []}, **yaml.safe_load(field)}))
    error = run(job).exception
    assert isinstance(error, PenstockError)
    assert message in str(error)


def test_the_picture_is_written(tmp_path: Path) -> None:
    out = tmp_path / "plan.png"
    assert run("grid", "--rate", 50, "--plot", out).exit_code == 0
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nowhere.yaml"], "linear"),
        (["linear", "--rate", "-5"], "rate: -5.0"),
        (["linear", "--rate", "1e9"], "plan for a rate with 2,000,000 at most"),
        (["linear", "--machines", "4,x"], "--machines"),
        (["linear", "--machines", "0"], "machines"),
        (["linear", "--machines", "4"], "insufficient resources for task"),
        (["linear", "--models", "nowhere"], "paper"),
        (["linear", "--plot", "/no/such/dir/x.png"], "--plot"),
    ],
)
def test_bad_input_is_one_clear_error(args: list[str], message: str) -> None:
    error = run(*args).exception
    assert isinstance(error, PenstockError)
    assert message in str(error)
    assert "\n" not in str(error)


ONE = "flow: {{a: []}}\nmodels: {{a: {{points: [{{threads: 1, rate_rps: {}, cpu: 0.5, memory: 0.1}}]}}}}\n"
CHAIN = "flow: {a: [b], b: [c]}\ntasks: {a: pi, b: pi, c: pi}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            CHAIN + "selectivity: {a: 1.0e+308, b: 1.0e+308}\n",
            "rate of b: inf cannot be used; its model does 105 rows/s",
        ),
        (
            ONE.format("1.0e-308"),
            "rate of a: 100.0 cannot be used; its model does 1e-308 rows/s; plan for a lower rate",
        ),
        (ONE.format("1.0e-4"), "slots; plan for a rate with 50,000 at most"),
        (f"flow: {{{', '.join(f'a{n}: []' for n in range(1001))}}}\n", "'1,001 operators' cannot be used; write 1,000"),
    ],
    ids=["rates without end", "a rate of nothing", "slots beyond count", "operators beyond count"],
)
def test_a_job_beyond_what_can_be_planned_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    job = tmp_path / "job.yaml"
    job.write_text(text)
    error = run(job).exception
    assert isinstance(error, PenstockError)
    assert message in str(error)
