"""The file of `penstock run` for an engine that a package brings; `engine` is its section.

name: shop
engine: {toy: {machines: 2}}      # the name of an entry point in `penstock.engines`, with the engine's own settings
policy: ds2
interval: 10s
jobs:
  - name: ads
    intent: {latency: 2s}         # with budget, excluded and approval, as in any tenants file
    params: {rate: 100}           # what the engine is to know of the job

A file without that section is for Spark, see tenants.py.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from penstock.config.asked import AskedPart, Asking
from penstock.config.checking import in_order
from penstock.config.document import Document
from penstock.config.fields import PolicySettings, PositiveSeconds
from penstock.config.lasting import ExcludedParts
from penstock.config.policies import wrong_policies
from penstock.config.problems import tried
from penstock.config.relations import MOST_JOBS, names_twice
from penstock.config.tenants import Name
from penstock.core.ports import World
from penstock.errors import ConfigError, PenstockError, choose, refuse, told
from penstock.extending import GROUPS, loaded, named

# What an entry point leads to: a function from the settings, and the `params` of each job by name, to a world.
MakeWorld = Callable[[Mapping[str, Any], Mapping[str, Mapping[str, Any]]], World]


class EngineJobPart(AskedPart):
    """One job."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    params: Annotated[dict[str, Any], Field(default_factory=dict)]


class EngineFile(Asking, BaseModel):
    """What is asked of all jobs, and of which engine."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    name: Name = "tenants"
    engine: Annotated[dict[str, dict[str, Any]], Field(min_length=1, max_length=1)]
    policy: str | None = None
    settings: PolicySettings = {}
    interval: PositiveSeconds = 10.0
    excluded: ExcludedParts = ()
    jobs: Annotated[tuple[EngineJobPart, ...], Field(min_length=1, max_length=MOST_JOBS)]

    @property
    def engine_name(self) -> str:
        """Which engine it is."""
        return next(iter(self.engine))

    def world(self) -> World:
        """The engine with its jobs; a ConfigError where no package brings it, or it will not have its settings."""
        name, found = self.engine_name, named(GROUPS["engine"])
        if name not in found:
            known = choose(name, found) if found else "install a package that brings it, or leave engine out for Spark"
            raise ConfigError("engine", name, known)
        make: MakeWorld = loaded(found[name], f"engine.{name}")
        try:
            return make(self.engine[name], {part.name: part.params for part in self.jobs})
        except PenstockError:
            raise
        except (Exception, SystemExit) as error:  # somebody else's code may raise anything
            raise ConfigError(f"engine.{name}", name, f"fix its package or its settings: {told(error)}") from None


def names_engine(document: Document) -> bool:
    """Whether it is such a file; the `engine` of a scenario is a word."""
    return isinstance(document.values.get("engine"), dict)


def check_engine_file(document: Document, policy: str | None = None) -> EngineFile:
    """The file, checked, and its world made once: whatever is wrong is raised, in the order of the file."""
    file, errors = tried(EngineFile, document.values, document)
    refuse(in_order([*errors, *names_twice(document), *wrong_policies(document, "policy", policy)]))
    assert file is not None  # nothing was wrong
    with document.located():
        file.world()
    return file
