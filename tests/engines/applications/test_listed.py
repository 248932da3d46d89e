"""Who of those that the fleet's file lists is awaited, and until when."""

from penstock.core.asked.coming import ListedApplication, ToCome
from penstock.engines.applications.book import Bounds
from penstock.engines.applications.listed import Listed

BOUNDS = {"fraud": Bounds(2, 12, 40.0), "ads": Bounds()}


def names(to_come: ToCome) -> list[str]:
    return [one.name for one in to_come.applications]


def test_who_is_listed_is_awaited_with_what_the_file_says_of_it() -> None:
    listed = Listed(BOUNDS, at_s=5.0, awaits_s=120.0, all_of_them=True)
    assert listed.to_come(5.0) == ToCome(
        (ListedApplication("ads"), ListedApplication("fraud", 2, 12, 40.0)), others=False
    )


def test_the_others_are_awaited_for_as_long_again_since_the_last_that_came() -> None:
    listed = Listed(BOUNDS, 0.0, 120.0, all_of_them=True)
    assert names(listed.to_come(119.0)) == ["ads", "fraud"]
    assert names(listed.to_come(120.0)) == []
    listed.came("fraud", 60.0)
    listed.came("fraud", 170.0)  # its driver began anew: nobody new has come
    assert names(listed.to_come(179.0)) == ["ads"]
    assert names(listed.to_come(180.0)) == []


def test_others_may_come_where_the_file_has_a_word_of_them_or_lists_nobody_or_one_came() -> None:
    assert Listed(BOUNDS, 0.0, 120.0, all_of_them=False).to_come(0.0).others
    assert Listed({}, 0.0, 120.0, all_of_them=True).to_come(0.0).others
    listed = Listed(BOUNDS, 0.0, 120.0, all_of_them=True)
    listed.came("clicks", 10.0)
    assert listed.to_come(10.0).others
