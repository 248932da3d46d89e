"""Spark's Python daemon, with what a thread needs imported before it forks.

Sixty threads that each import for a second would keep their core busy for a minute, and each hold its own copy.
"""

import gc

import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import penstock.engines.spark.profiling.thread  # noqa: F401

if __name__ == "__main__":
    gc.freeze()  # a collection would touch, and so copy, every page that the forks share
    manager()
