"""Performance models by trial: the search, the trials on Spark and the record of them, put together."""
