"""What files say, before anything starts: `penstock check`, `intents` and `plan` as calls."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from penstock.calls.checked import said_of
from penstock.config.checking import CheckOptions
from penstock.config.openslo import to_openslo
from penstock.config.plan_job import PlanJob, read_plan_job
from penstock.config.wanted_file import read_wanted
from penstock.core.asked.intents import Intent
from penstock.core.known.placement import Placement
from penstock.engines.spark.jvm.unstarted import spark_unstarted
from penstock.errors import ConfigError
from penstock.planning.provision.allocate import allocate
from penstock.planning.provision.methods import DEFAULT_METHOD
from penstock.planning.provision.place import place, place_on_fewest
from penstock.planning.provision.settings import RUNTIMES, PlaceSettings


def check(file: str | Path, policy: str | None = None, master: str | None = None, modules: bool = True) -> str:
    """What a file of tenants, a scenario or a job to plan holds, in a line; a ConfigError tells all that is wrong.

    `modules=False` imports none of the jobs' modules.
    """
    return said_of(Path(file), CheckOptions(policy, master, spark_unstarted if modules else None))


def tenants_schema() -> Mapping[str, Any]:
    """The JSON Schema of a tenants file, for editors and for whoever writes such files by program."""
    text = files("penstock.config").joinpath("tenants.schema.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


def intents(file: str | Path) -> Mapping[str, Intent]:
    """What the tenants of a file ask for, by name: a tenants file, or one of OpenSLO documents."""
    return read_wanted(Path(file)).asked()


def openslo(file: str | Path, run: str = "tenants") -> Sequence[Mapping[str, Any]]:
    """The same as OpenSLO v1 documents, over the metrics of the run of that name."""
    return to_openslo(run, read_wanted(Path(file)))


def plan(
    job: str | Path,
    rate_rps: float = 100.0,
    allocation: str = "mba",
    mapping: str = DEFAULT_METHOD,
    *,
    routing: str = "proportional",
    runtime: str = "models",
    machines: Sequence[int] | None = None,
    models: str | None = None,
) -> Placement:
    """Plan a job (a YAML file, or a DAG that ships) for so many rows a second at every source, before it runs.

    `machines` are the slots of those there are; without, the fewest that must be acquired are taken.

    >>> plan("linear", 50.0).slots_used
    4
    """
    if runtime not in RUNTIMES:
        raise ConfigError("runtime", runtime, f"choose one of {', '.join(RUNTIMES)}")
    settings = PlaceSettings(routing=routing, runtime=RUNTIMES[runtime])
    return placed(read_plan_job(str(job), models), rate_rps, (allocation, mapping), machines, settings)


def placed(
    job: PlanJob, rate: float, pair: tuple[str, str], machines: Sequence[int] | None, settings: PlaceSettings
) -> Placement:
    """The job placed for the rate by a pair of methods, on these machines or on the fewest that must be acquired."""
    allocation = allocate(job.topology, rate, job.models, pair[0], job.selectivity)
    if machines is None:
        return place_on_fewest(allocation, sorted(job.machines.sizes), pair[1], settings)
    return place(allocation, machines, pair[1], settings)
