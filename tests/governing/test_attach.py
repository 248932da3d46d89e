"""What is governed of a driver that somebody else started, by the file that says what is wanted of its queries."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from penstock.config.wanted import WantedFile
from penstock.core.asked.price import Price
from penstock.engines.spark.fake import FakeSpark
from penstock.governing.attach import AttachOptions, governed_by
from penstock.store.gallery import Gallery
from penstock.store.open import open_store

UNRECORDED = AttachOptions(store=None)


def wanted(**more: object) -> WantedFile:
    return WantedFile.model_validate({"jobs": [{"name": "fraud", "intent": {"latency": "2s"}}], **more})


@pytest.mark.parametrize(
    ("price", "told"),
    [
        ({"slot_hour": 0.05, "currency": "EUR"}, Price(0.05, "EUR")),
        ({"executor_hour": 0.4, "currency": "EUR"}, Price(0.2, "EUR")),  # three executors of two slots each
        (None, None),
    ],
)
def test_slots_cost_what_the_file_says(price: object, told: Price | None) -> None:
    assert governed_by(FakeSpark(executors=3), wanted(price=price), UNRECORDED).slot_price == told


def test_where_no_executor_has_come_yet_the_price_is_that_of_the_slots_it_will_have() -> None:
    spark = FakeSpark(executors=1)
    spark.executors.let_go(0)
    assert not spark.executor_list()
    assert governed_by(spark, wanted(price={"executor_hour": 0.4}), UNRECORDED).slot_price == Price(0.2)


def test_the_run_is_recorded_with_its_price(tmp_path: Path) -> None:
    place = str(tmp_path / "runs.sqlite")
    spark, asked = FakeSpark(), wanted(price={"slot_hour": 0.05})
    governed = governed_by(spark, asked, replace(UNRECORDED, store=place))
    assert governed.remembering is not None
    with closing(open_store(place, create=False)) as store:
        assert Gallery(store.database, spark.application).info.price == Price(0.05)
