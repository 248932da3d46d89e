"""A task on one slot: the search, the trials on Spark and the record of them, put together; `penstock profile TASK`."""
