"""Event logs of runs without penstock."""
