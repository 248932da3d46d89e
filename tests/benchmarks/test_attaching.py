"""What came of each environment is a row of times and a column of the doctor's table."""

from attaching import HEADING, Seen, notebook, page

DOCTOR = {
    "spark": "3.5.9", "scala": "2.12.18", "java": "17.0.15", "governable": True,
    "features": [{"name": "listeners in Python", "here": True}, {"name": "real-time mode", "here": False}],
    "settings": [{"name": "spark.scheduler.mode", "value": "FAIR"}],
}  # fmt: skip
SEEN = Seen("pip, Spark 3.5", "2026-11-23", None, 21.6, 6.4, 48.3, 8.2, "fraud misses 2s | it gets more", DOCTOR)


def test_each_has_a_row_of_times_and_a_column_of_what_the_doctor_says() -> None:
    lines = page([SEEN, SEEN]).splitlines()
    assert lines[0] == HEADING.strip()
    times = "| pip, Spark 3.5 | 2026-11-23 | was there | 22 (6) | 48 | 8 | fraud misses 2s \\| it gets more |"
    assert lines.count(times) == 2
    assert lines[-3:] == [
        "| listeners in Python | yes | yes |",
        "| real-time mode | no | no |",
        "| spark.scheduler.mode | FAIR | FAIR |",
    ]


def test_a_program_is_one_cell_of_a_notebook() -> None:
    assert [cell["source"] for cell in notebook("1 + 1")["cells"]] == ["1 + 1"]
