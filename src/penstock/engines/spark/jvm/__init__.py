"""Spark's own words: the only folder that reaches into its JVM, and into what PySpark keeps to itself."""
