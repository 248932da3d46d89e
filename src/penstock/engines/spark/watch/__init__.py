"""What Spark tells, understood: events, progress and stages in, the state of every job and its figures out. Pure."""
