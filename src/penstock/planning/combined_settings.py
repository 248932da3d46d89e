"""The settings of the `penstock` policy: those of its parts."""

from dataclasses import dataclass, field

from penstock.planning.henge.settings import HengeSettings
from penstock.planning.phoebe.settings import PhoebeSettings, Profiles


@dataclass(frozen=True, slots=True)
class CombinedSettings:
    """`profiles` is what was profiled of jobs, by name."""

    henge: HengeSettings = HengeSettings()
    phoebe: PhoebeSettings = PhoebeSettings()
    profiles: Profiles = field(default_factory=dict)
