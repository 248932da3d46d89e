"""A Kafka broker on this machine, for trying things out and for tests.

broker   one process, or one for each host: started, known again, ended
jars     what it is made of, and what Spark's connector needs: fetched once, checked by their hashes
"""
