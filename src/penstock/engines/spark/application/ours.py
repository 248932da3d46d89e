"""What a job's function makes is started only while this controller has the application."""

from dataclasses import replace

from penstock.engines.spark.application.lock import ControllerLease
from penstock.engines.spark.jobs.job import Job, Writer


def while_ours(lease: ControllerLease, job: Job) -> Job:
    """The job, whose function raises a LeaseLostError once another controller has the application.

    A function takes as long as it takes, and the whole process may be stopped meanwhile: the lease is asked for before
    it is called, and again right before Spark starts what it made.
    """
    function = job.function
    if function is None:
        return job

    def made(session: object) -> Writer:
        lease.renew()
        found = function(session)  # type: ignore[arg-type]  # whatever the port hands to functions
        lease.renew()
        return found

    return replace(job, function=made)
