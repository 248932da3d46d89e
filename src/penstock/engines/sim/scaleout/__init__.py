"""Jobs with a scale-out: so many executors each, checkpoints, failures with recovery, rescaling by restart.

Exactly-once stream processing as on Flink or Spark: after a failure a job is down until it was noticed and restarted,
then goes on from its last checkpoint, at full speed until it has caught up. Its law of speed is a table of measured
points and nothing else: no model that a policy might use is in here.
"""
