"""The settings of the `penstock` policy: those of its parts, and whether executors' memory is governed."""

from dataclasses import dataclass, field

from penstock.errors import ConfigError
from penstock.planning.arbiter.settings import ArbiterSettings
from penstock.planning.executors.settings import ExecutorsSettings
from penstock.planning.henge.settings import HengeSettings
from penstock.planning.memory import MemoryMode
from penstock.planning.phoebe.settings import PhoebeSettings, Profiles


@dataclass(frozen=True, slots=True)
class CombinedSettings:
    """`profiles` is what was profiled of jobs, by name."""

    arbiter: ArbiterSettings = ArbiterSettings()
    henge: HengeSettings = HengeSettings()
    phoebe: PhoebeSettings = PhoebeSettings()
    executors: ExecutorsSettings = ExecutorsSettings()  # of many applications
    profiles: Profiles = field(default_factory=dict)  # what was profiled of each job; the file's `profiles`
    memory: MemoryMode | str = MemoryMode.ADVISE  # where executors are short of it; see planning/memory.py

    def __post_init__(self) -> None:
        if self.memory not in tuple(MemoryMode):
            raise ConfigError("memory", self.memory, f"choose one of {', '.join(MemoryMode)}")
