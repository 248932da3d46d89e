"""While tests are collected no garbage is looked for, and later none among what was there then.

What is imported and collected lives until the run's end, and each worker searched it over and over: a quarter of the
CPU that collecting takes.
"""

import gc

gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
