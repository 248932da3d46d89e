"""One job's track, to which a batch happens."""

from penstock.engines.spark.watch.events import Now
from penstock.engines.spark.watch.fleet import TrackedFleet
from penstock.engines.spark.watch.progress import Batch
from penstock.engines.spark.watch.take import taken
from penstock.engines.spark.watch.track import Track

KEPT_S = 60.0


def with_batch(track: Track, batch: Batch) -> Track:
    """The track after its query has committed that."""
    name = track.job.name
    fleet = TrackedFleet({name: track}, {batch.run_id: name}, keep_s=KEPT_S)
    return taken(batch, fleet, Now(batch.committed_s, batch.committed_s)).named(name)
