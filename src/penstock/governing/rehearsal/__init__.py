"""Rehearsals: copies of a job at several scale-outs, on its own recorded input; `penstock profile JOB`."""
