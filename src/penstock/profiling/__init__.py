"""Models by trial, behind two doors: tasks (a task on one slot) and jobs (a job by its scale-out)."""
