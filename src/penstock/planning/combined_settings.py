"""The settings of the `penstock` policy: those of its parts, and whether executors' memory is governed."""

from dataclasses import dataclass, field
from enum import StrEnum

from penstock.errors import ConfigError
from penstock.planning.arbiter.settings import ArbiterSettings
from penstock.planning.executors.settings import ExecutorsSettings
from penstock.planning.henge.settings import HengeSettings
from penstock.planning.phoebe.settings import PhoebeSettings, Profiles


class MemoryMode(StrEnum):
    """Whether executors' memory is left alone, advised on, or changed."""

    OFF = "off"
    ADVISE = "advise"
    ACT = "act"


@dataclass(frozen=True, slots=True)
class CombinedSettings:
    """Settings of its parts, and of executor memory."""

    arbiter: ArbiterSettings = ArbiterSettings()
    henge: HengeSettings = HengeSettings()
    phoebe: PhoebeSettings = PhoebeSettings()
    executors: ExecutorsSettings = ExecutorsSettings()  # of many applications
    profiles: Profiles = field(default_factory=dict)  # profiles by job, as `profiles` in the tenants file
    memory: MemoryMode | str = MemoryMode.ADVISE  # off, advise or act on a shortage of executor memory

    def __post_init__(self) -> None:
        if self.memory not in tuple(MemoryMode):
            raise ConfigError("memory", self.memory, f"choose one of {', '.join(MemoryMode)}")
