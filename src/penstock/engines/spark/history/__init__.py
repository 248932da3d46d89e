"""What Spark wrote down of a run that nobody governed: its event log, read into the same figures as a live one."""
