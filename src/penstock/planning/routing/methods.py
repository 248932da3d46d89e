"""The ways to make a routing table, by name: what a command line shows before it routes."""

METHODS = ("metis", "greedy", "hash")
