"""A YARN on this machine, for trying things out and for tests: from pyspark's own Hadoop client, and four jars.

configuration   what its daemons are told, and what Spark is
cluster         its daemons: started, known again, ended
"""
