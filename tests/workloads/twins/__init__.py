"""The right answers: each workload once more in plain Python and pandas, over the same lines, without Spark.

Every twin takes the lines in the order of their time and returns rows as tuples; windows start at milliseconds
since the epoch. `before_ms` leaves out what a stream that has come so far cannot know to be final.
"""
