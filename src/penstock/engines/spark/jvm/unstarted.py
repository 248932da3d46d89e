"""Spark as it is imported and not started: a module of jobs may ask for a session where it is only looked at."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def spark_unstarted(error: type[Exception]) -> Iterator[None]:
    """Whoever starts Spark in this process meanwhile gets that error instead."""
    from pyspark import SparkContext  # it takes a second; the modules of jobs import it anyway

    def refuse(*arguments: Any, **options: Any) -> Any:
        raise error

    context: Any = sys.modules[SparkContext.__module__]  # Spark 4 moved it
    launch, context.launch_gateway = context.launch_gateway, refuse
    try:
        yield
    finally:
        context.launch_gateway = launch
