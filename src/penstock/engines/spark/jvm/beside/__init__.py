"""A driver that somebody else started, in whatever language, governed from a process beside it."""
