"""The five tasks, each doing what it says, alone and as an operator on Spark."""

import math
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from penstock.core.seen.trial import Task
from penstock.workloads.tasks.file_write import FileWrite
from penstock.workloads.tasks.operator import apply_task
from penstock.workloads.tasks.pi_viete import PiViete, viete
from penstock.workloads.tasks.xml_parse import XmlParse


def test_xml_parse_meets_every_element_of_every_document() -> None:
    # A batch holds 3 readings of 3 elements each, and is one itself: 10 in each of 2 documents.
    with XmlParse(documents=2, records=3).open() as work:
        assert work(0) == work(1) == 20.0


def test_pi_comes_out_and_each_factor_makes_it_better() -> None:
    with PiViete(repeats=1).open() as work:
        assert work(7) == pytest.approx(math.pi, abs=1e-8)
    errors = [abs(viete(factors) - math.pi) for factors in range(1, 16)]
    assert errors == sorted(errors, reverse=True)


def test_file_write_keeps_a_window_and_writes_it_at_once(tmp_path: Path) -> None:
    with FileWrite(str(tmp_path), window=3, row_bytes=10).open() as work:
        assert [work(message) for message in range(7)] == [0, 0, 30, 30, 30, 60, 60]
        (file,) = tmp_path.iterdir()
        assert file.read_bytes() == b"000000000300000000040000000005"
    assert list(tmp_path.iterdir()) == []


def test_threads_write_files_of_their_own(tmp_path: Path) -> None:
    task = FileWrite(str(tmp_path))
    with task.open(), task.open():
        assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("task", [XmlParse(1, 1), PiViete(repeats=1), FileWrite(window=2)], ids=lambda task: task.name)
def test_a_task_is_an_operator_of_a_query_with_a_row_out_for_each_row_in(spark: SparkSession, task: Task) -> None:
    done = apply_task(spark.range(20), task, "id", threads=3)
    assert done.rdd.getNumPartitions() == 3
    assert sorted(row.message for row in done.collect()) == list(range(20))
