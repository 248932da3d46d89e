"""The ways to make a routing table, by name, and how uneven it may be: what a command line shows before it routes."""

METHODS = ("metis", "greedy", "hash")
IMBALANCE = 1.03  # METIS's own default, and the paper's alpha
