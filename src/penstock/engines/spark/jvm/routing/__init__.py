"""What routes need of Spark's plans, state and coordinator."""
