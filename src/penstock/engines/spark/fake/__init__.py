"""A Spark application without a JVM: it fulfils the port, and does what Spark would only when it is told.

    >>> from penstock.engines.spark.engine import SparkEngine
    >>> from penstock.engines.spark.fake import FakeSpark, fake_job
    >>> spark = FakeSpark(slots=4)
    >>> engine = SparkEngine(spark, [fake_job("ads", lambda session: session.writer())], clocks=spark.clocks)
    >>> engine.open(); engine.start(wait=True)
    >>> for _ in range(3):
    ...     spark.commit("ads", rows=200)
    >>> engine.observe(3.0).jobs[0].processed_rps
    200.0
    >>> engine.close()

Time passes when the test says so, each batch is committed when the test says so, and every call answers at once. What
only a real Spark can show (that its scheduler heeds shares, that counts stay exact through a crash) is not here.
"""

from penstock.engines.spark.fake.spark import FakeSpark
from penstock.engines.spark.fake.writer import FakeWriter, fake_job

__all__ = ["FakeSpark", "FakeWriter", "fake_job"]
