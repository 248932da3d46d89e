"""The ways to place threads, by name: what a command line shows before it places."""

METHODS = ("dsm", "rsm", "sam", "best")
