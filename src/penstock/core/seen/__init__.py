"""What was seen: figures of jobs, machines and controllers, and how they stand to what is asked."""
