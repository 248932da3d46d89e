"""Which trial comes next, as pure searches: of a task on one slot (algorithm 1), of a job by its scale-out."""
