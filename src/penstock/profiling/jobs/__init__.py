"""A job by its scale-out: copies of it at several of them, on its own recorded input; `penstock profile JOB`."""
