"""Where garbage is looked for while tests run."""

import gc


class Ring:
    """Refers to itself: only the collector finds that nobody else does."""

    def __init__(self) -> None:
        self.me = self


def test_what_was_there_before_the_first_test_is_let_be_and_what_tests_leave_is_found() -> None:
    assert gc.isenabled()
    assert gc.get_freeze_count() > 100_000
    gc.collect()
    Ring()
    assert gc.collect() > 0
