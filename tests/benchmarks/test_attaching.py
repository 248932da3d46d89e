"""What came of each environment is a row of times and a column of the doctor's table."""

from dataclasses import replace
from pathlib import Path

from attaching import ALL, HEADING, Seen, advice_in, keep, kept, notebook, page

DOCTOR = {
    "spark": "3.5.9", "scala": "2.12.18", "java": "17.0.15", "governable": True,
    "features": [{"name": "listeners in Python", "here": True}, {"name": "real-time mode", "here": False}],
    "settings": [{"name": "spark.scheduler.mode", "value": "FAIR"}],
}  # fmt: skip
SEEN = Seen("pip, Spark 3.5", "2026-11-23", None, 21.6, 6.4, 48.3, 1.26, "fraud misses 2s | it gets more", DOCTOR)


def test_each_has_a_row_of_times_and_a_column_of_what_the_doctor_says() -> None:
    lines = page([SEEN, SEEN]).splitlines()
    assert lines[0] == HEADING.strip()
    times = "| pip, Spark 3.5 | 2026-11-23 | was there | 22 (6) | 48, beside 1.3 cores of others |"
    assert lines.count(f"{times} fraud misses 2s \\| it gets more |") == 2
    assert lines[-3:] == [
        "| listeners in Python | yes | yes |",
        "| real-time mode | no | no |",
        "| spark.scheduler.mode | FAIR | FAIR |",
    ]


def test_a_time_beside_nobody_is_told_without_a_word() -> None:
    assert "| 22 (6) | 48 | fraud misses" in page([replace(SEEN, others=0.1)])


def test_what_was_never_run_is_told() -> None:
    everyone = [replace(SEEN, words=what.words) for what in ALL.values()]
    assert "\nNot run yet: Jupyter; event log.\n" in page(
        [one for one in everyone if one.words not in ("Jupyter", "event log")]
    )
    assert "Not run" not in page(everyone)


def test_where_nobody_looked_who_used_the_cores_that_is_told() -> None:
    assert "| 48, beside others |" in page([replace(SEEN, others=None)])


def test_trying_one_keeps_the_rows_of_the_others(tmp_path: Path) -> None:
    record = tmp_path / "attaching.json"
    newest = replace(SEEN, on="2026-11-30")
    log, jupyter = (replace(SEEN, words=words) for words in ("event log", "Jupyter"))
    for name, seen in (("log", log), ("pip-3.5", SEEN), ("jupyter", jupyter), ("pip-3.5", newest)):
        keep(record, name, seen)
    assert kept(record) == [newest, jupyter, log]


def test_a_program_is_one_cell_of_a_notebook() -> None:
    assert [cell["source"] for cell in notebook("1 + 1")["cells"]] == ["1 + 1"]


def test_of_advice_what_would_have_done_better_is_told_without_its_tables() -> None:
    said = "tenant  met\nfraud   9 %\n\n- fraud: 12 rows a batch\nSlots: 6 are enough.\n"
    assert advice_in(said) == "- fraud: 12 rows a batch Slots: 6 are enough."
