"""The job that is rehearsed, as `TENANTS.yaml:JOB` names it, and what its copies must be told of it."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.config.tenants import TenantPart, TenantsFile, read_tenants
from penstock.errors import ConfigError

_SIZES = {"k": 1 / 1024, "m": 1.0, "g": 1024.0, "t": 1024.0**2}
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
        heap = size_mib(str(self.file.conf.get("spark.executor.memory", "1g")))
        return heap if self.master.startswith("spark://") else heap + max(_LEAST_OVERHEAD_MIB, heap // 10)

    def conf(self, scaleout: int) -> dict[str, Any]:
        """What Spark is told for a copy with so many executors."""
        kept = {key: value for key, value in self.file.conf.items() if key not in _NOT_FOR_COPIES}
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


def size_mib(text: str) -> int:
    """A size as Spark writes it, in MiB.

    >>> size_mib("2g"), size_mib("512m"), size_mib("512")
    (2048, 512, 512)
    """
    found = re.fullmatch(r"(\d+)\s*([kmgt]?)i?b?", text.strip().lower())
    if found is None:
        raise ConfigError("spark.executor.memory", text, "write a size such as 512m or 2g")
    return round(float(found[1]) * _SIZES[found[2] or "m"])
