"""Files with the places of what is in them."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from penstock.config.composing import compose
from penstock.config.document import Document, read_document
from penstock.config.scalars import Mark, NotYamlError
from penstock.errors import ABSENT, ConfigError

SHOP = """\
name: shop
jobs:
  - &ads
    name: ads
    intent: {latency: 2s}
  - {<<: *ads, name: fraud, slots: 3}
4: four
"""


@pytest.fixture
def document(tmp_path: Path) -> Document:
    (tmp_path / "shop.yaml").write_text(SHOP, encoding="utf-8")
    return read_document(tmp_path / "shop.yaml", "tenants file")


@pytest.mark.parametrize(
    ("path", "at_key", "place"),
    [
        (("name",), False, "1:7"),
        (("name",), True, "1:1"),
        (("jobs", 0, "intent", "latency"), False, "5:23"),
        (("jobs", 0, "intent"), False, "5:5"),  # of what holds others: where it is named
        (("jobs", 1, "slots"), False, "6:36"),
        (("jobs", 1, "intent", "latency"), False, "5:23"),  # where the alias leads
        (("jobs", 0, "slots"), False, "3:5"),  # of what is not there: what should hold it
        ((4,), False, "7:4"),
    ],
)
def test_each_value_knows_its_line_and_column(
    document: Document, path: tuple[str | int, ...], at_key: bool, place: str
) -> None:
    error = document.error(path, 0, "mend it", at_key)
    assert error.place == f"{document.name}:{place}"


def test_paths_are_found_by_names_and_numbers_and_without_what_the_file_does_not_have(document: Document) -> None:
    assert document.path_of(("jobs", "fraud", "slots")) == ("jobs", 1, "slots")
    assert document.path_of(("jobs", "1", "slots")) == ("jobs", 1, "slots")
    assert document.path_of(("jobs", 0, "intent", 0, "latency")) == ("jobs", 0, "intent", "latency")
    assert document.path_of(("jobs", 0, "slots")) == ("jobs", 0)
    assert document.path_of(("jobs", 0, "slots"), absent=True) == ("jobs", 0, "slots")
    assert document.path_of(("4",)) == (4,)
    assert document.value_at(("jobs", 1, "intent", "latency")) == "2s"
    assert document.value_at(("jobs", 7)) is ABSENT


def test_errors_about_its_fields_get_their_places_and_others_stay(document: Document) -> None:
    told = r"shop\.yaml:5:23: jobs\.ads\.intent\.latency: 1 cannot be used"
    with pytest.raises(ConfigError, match=told), document.located():
        raise ConfigError("jobs.ads.intent.latency", 1, "mend it")
    with pytest.raises(ConfigError, match=r"^jobs\.sales\.slots: 1 cannot be used"), document.located():
        raise ConfigError("jobs.sales.slots", 1, "mend it")


words = st.text("abé: -#&*!|>'\"%@`{}[],?\n\t", max_size=6) | st.integers() | st.floats() | st.booleans() | st.none()
values = st.recursive(
    words, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3), max_leaves=12
)


@given(values)
def test_what_yaml_writes_is_read_as_yaml_reads_it(value: object) -> None:
    text = yaml.safe_dump(value, allow_unicode=True)
    root, twice = compose(text)
    assert root is not None
    assert repr(root.value) == repr(yaml.safe_load(text))
    assert twice == []


@given(st.text("ab: -&*[]{}<,?!\n'\"", max_size=40))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    mark = Mark(1, 1)
    try:
        compose(text)
    except NotYamlError as error:
        mark = error.mark
    assert mark.line >= 1 <= mark.column
