"""Threads that live on Spark: tasks of one long Spark job, fed and emptied over TCP by the driver.

A micro-batch runs the stages of a query one after the other, so an operator's threads are idle most of the time;
as in Storm or Spark's real-time mode, a thread here is a task that stays. What is measured is the worker: its
executor's JVM and the Python workers that do the work.
"""
