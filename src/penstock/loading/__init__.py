"""The load generator: rows along a rate curve into a Kafka topic, from a process of its own, every one counted."""
