"""The file that `penstock plan` reads: the flow of a job, the task of each operator, and where their models are.

name: shop
flow: {parse: [score], score: [store]}    # each operator with those that it sends to
tasks: {score: pi}                        # the task of an operator; without one its own name
selectivity: {"parse -> score": 0.5}      # rows out for one in, for an edge or for all of an operator
models: paper                             # a set that ships with penstock, or a file beside this one
machines: azure-d                         # machines and prices that ship, or a file; or {4: 0.39, 2: 0.2}
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from penstock.config.document import Document, read_document
from penstock.config.fields import within
from penstock.config.problems import checked
from penstock.core.known.performance import PerformanceModel
from penstock.core.seen.topology import Edge, Topology
from penstock.errors import ConfigError

CATALOG = Path(str(files("penstock") / "catalog"))
DEFAULT_MACHINES = "azure-d"
MOST_OPERATORS = 1000  # two seconds of planning


class _PlanPart(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class MachinesFile(_PlanPart):
    """Sizes of machines in slots, each with its price an hour."""

    name: str = "machines"
    unit: str = ""
    sizes: dict[int, Annotated[float, Field(ge=0)] | None]

    @model_validator(mode="after")
    def _sizes_are_slots(self) -> "MachinesFile":
        if not self.sizes:
            raise within(
                ConfigError("machines", {}, "give at least one size in slots with its price, such as {4: 0.39}")
            )
        for size in self.sizes:
            if not 1 <= size <= 100_000:
                remedy = "a machine needs slots: write sizes of 1 or more, such as {4: 0.39}"
                raise within(ConfigError("machines", size, remedy))
        return self


class ModelsFile(_PlanPart):
    """Performance models by task; `provenance` is for all of them."""

    name: str = "models"
    provenance: dict[str, str] = {}
    tasks: dict[str, dict[str, Any]]


class PlanFile(_PlanPart):
    """The fields of the file."""

    name: str = "job"
    about: str = ""
    source: str = ""
    flow: dict[str, list[str]]
    tasks: dict[str, str] = {}
    selectivity: dict[str, Annotated[float, Field(ge=0)]] = {}
    models: str | dict[str, dict[str, Any]] = "paper"
    machines: str | dict[int, float | None] = DEFAULT_MACHINES


@dataclass(frozen=True, slots=True)
class PlanJob:
    """A job that can be planned."""

    name: str
    about: str
    topology: Topology
    selectivity: Mapping[Edge, float]
    models: Mapping[str, PerformanceModel]  # by operator
    machines: MachinesFile


def read_plan_job(job: str, models: str | None = None, base: Path | None = None, field: str = "JOB") -> PlanJob:
    """The job in that file, or the DAG of that name that ships; `models` takes the place of the file's own.

    `base` is where the file is looked for, `field` names it in errors.
    """
    path = _found(job, "dags", field, base)
    return plan_job_in(read_document(path, field), path.parent, models, field)


def plan_job_in(document: Document, base: Path, models: str | None = None, field: str = "JOB") -> PlanJob:
    """The job of a document that was read already; the files that it names stand below `base`."""
    with document.located():
        return _planned(checked(PlanFile, document.values, field, document), base, models)


def _planned(part: PlanFile, base: Path, models: str | None) -> PlanJob:
    if len(part.flow) > MOST_OPERATORS:
        raise ConfigError("flow", f"{len(part.flow):,} operators", f"write {MOST_OPERATORS:,} at most")
    topology = Topology(part.flow)
    for operator in part.tasks:
        if operator not in topology.operators:
            raise ConfigError(
                f"tasks.{operator}", operator, f"name an operator of flow: {', '.join(topology.operators)}"
            )
    known = read_models(models, Path()) if models is not None else read_models(part.models, base)
    by_operator: dict[str, PerformanceModel] = {}
    for operator in topology.operators:
        task = part.tasks.get(operator, operator)
        if task not in known:
            raise ConfigError(f"tasks.{operator}", task, f"there is no model of this task, only of: {', '.join(known)}")
        by_operator[operator] = known[task]
    machines = _machines(part.machines, base)
    return PlanJob(part.name, part.about, topology, _selectivity(part, topology), by_operator, machines)


def read_models(models: str | Mapping[str, Any], base: Path) -> dict[str, PerformanceModel]:
    """Models by task: of a set that ships, of a file, or written out."""
    field = "models"
    if isinstance(models, str):
        field = str(_found(models, "models", "models", base))
        document = read_document(Path(field), "models")
        part = checked(ModelsFile, document.values, "models", document)
    else:
        part = ModelsFile(tasks=dict(models))
    return {
        task: PerformanceModel.from_dict(
            {**document, "provenance": {**part.provenance, **(document.get("provenance") or {})}}, f"{field}: {task}"
        )
        for task, document in part.tasks.items()
    }


def shipped(kind: str) -> list[str]:
    """The names of what ships: kind is dags, models or machines."""
    return sorted(path.stem for path in (CATALOG / kind).glob("*.yaml"))


def _found(name: str, kind: str, field: str, base: Path | None = None) -> Path:
    if name in shipped(kind):
        return CATALOG / kind / f"{name}.yaml"
    path = (base or Path()) / name
    if not path.is_file():
        raise ConfigError(field, name, f"give a file, or one that ships: {', '.join(shipped(kind))}")
    return path


def _machines(machines: str | dict[int, float | None], base: Path) -> MachinesFile:
    if isinstance(machines, str):
        path = _found(machines, "machines", "machines", base)
        document = read_document(path, "machines")
        return checked(MachinesFile, document.values, "machines", document)
    try:
        return checked(MachinesFile, {"sizes": machines}, "machines")
    except ConfigError as error:
        raise ConfigError(error.field.replace("sizes", "machines", 1), error.value, error.remedy) from None


def _selectivity(part: PlanFile, topology: Topology) -> dict[Edge, float]:
    result: dict[Edge, float] = {}
    for key, value in part.selectivity.items():
        parent, arrow, child = (name.strip() for name in key.partition("->"))
        edges = [edge for edge in topology.edges if edge[0] == parent and (not arrow or edge[1] == child)]
        if not edges:
            known = ", ".join(f"{a} -> {b}" for a, b in topology.edges)
            raise ConfigError(f"selectivity.{key}", value, f"name an operator that sends, or an edge: {known}")
        result.update(dict.fromkeys(edges, value))
    return result
