"""Governing real queries: the loop over the Spark engine, in a thread of its own."""
