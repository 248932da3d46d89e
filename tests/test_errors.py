"""Errors: field, value and remedy, in one line."""

from penstock.errors import ConfigError, EngineError, PenstockError


def test_a_config_error_names_field_value_and_remedy() -> None:
    error = ConfigError("juice", 1.5, "write at most 1")
    assert (error.field, error.value, error.remedy) == ("juice", 1.5, "write at most 1")
    assert str(error) == "juice: 1.5 cannot be used; write at most 1"


def test_a_long_value_is_cut_short() -> None:
    assert len(str(ConfigError("points", "x" * 500, "write less"))) < 120


def test_all_errors_are_of_one_family() -> None:
    assert issubclass(ConfigError, PenstockError)
    assert issubclass(EngineError, PenstockError)


class Unshown:
    """Whose own words for itself fail."""

    def __repr__(self) -> str:
        raise TypeError("no words")


def test_a_value_that_cannot_be_shown_is_told_by_its_kind() -> None:
    assert str(ConfigError("juice", Unshown(), "write a number")) == "juice: a Unshown cannot be used; write a number"
