"""The job that is rehearsed, as `TENANTS.yaml:JOB` names it, and what its copies must be told of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.config.tenants import TenantPart, TenantsFile, read_tenants
from penstock.core.units import size_mib
from penstock.errors import ConfigError

_LEAST_OVERHEAD_MIB = 384  # what Spark takes beside an executor's heap, or a tenth of it
_NOT_FOR_COPIES = ("spark.cores.max", "spark.sql.streaming.checkpointLocation", "spark.dynamicAllocation.enabled")


@dataclass(frozen=True, slots=True)
class RehearsedJob:
    """One job of a tenants file."""

    path: Path
    file: TenantsFile
    part: TenantPart
    master: str

    @property
    def cores(self) -> int:
        """Slots of one executor."""
        return int(self.file.conf.get("spark.executor.cores", 1))

    @property
    def memory_mib(self) -> int:
        """What one executor needs of a worker's memory."""
        heap = size_mib(self.file.all_conf.get("spark.executor.memory", "1g"), "spark.executor.memory")
        return heap if self.master.startswith("spark://") else heap + max(_LEAST_OVERHEAD_MIB, heap // 10)

    def conf(self, scaleout: int) -> dict[str, Any]:
        """What Spark is told for a copy with so many executors."""
        kept = {key: value for key, value in self.file.all_conf.items() if key not in _NOT_FOR_COPIES}
        return {**kept, "spark.executor.cores": self.cores, "spark.cores.max": self.cores * scaleout}


def job_named(job: str, master: str | None = None) -> RehearsedJob:
    """The job that `TENANTS.yaml:JOB` names; the job may be left out where the file has only one."""
    place, _, name = job.rpartition(":") if not job.endswith((".yaml", ".yml")) else (job, "", "")
    path = Path(place)
    file = read_tenants(path)
    names = [part.name for part in file.jobs]
    if not name and len(names) == 1:
        name = names[0]
    if name not in names:
        raise ConfigError("JOB", job, f"name a job of that file, as {place}:{names[0]}; it has: {', '.join(names)}")
    part = next(part for part in file.jobs if part.name == name)
    found = master or file.master
    if not found.startswith("spark://"):
        remedy = "scale-outs are executors, which need a cluster: `penstock cluster up`, then --master spark://..."
        raise ConfigError("master", found, remedy)
    if part.real_time is not None:
        raise ConfigError(
            "JOB", job, "a job in real-time mode keeps its slots for good; its scale-out is not executors"
        )
    return RehearsedJob(path.absolute(), file, part, found)
