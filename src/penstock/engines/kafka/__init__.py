"""Kafka: a broker for development, the jars that it and Spark's connector need, and what its offsets tell."""
