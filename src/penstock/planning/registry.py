"""Policies by the name that users write."""

from collections.abc import Callable
from dataclasses import dataclass

from penstock.core.ports import Policy
from penstock.errors import ConfigError
from penstock.planning.baselines.ds2 import Ds2
from penstock.planning.baselines.fair import Fair
from penstock.planning.baselines.hands_off import HandsOff
from penstock.planning.baselines.reactive import Reactive
from penstock.planning.henge.policy import Henge
from penstock.planning.limits import WithLimits

DEFAULT = "henge"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of `penstock policies`."""

    about: str
    make: Callable[[], Policy]


POLICIES: dict[str, Entry] = {
    "fifo": Entry("no shares: the oldest work first, as Spark does by itself", lambda: HandsOff("fifo")),
    "fair": Entry("the same share for every job, whatever it needs", Fair),
    "static": Entry("the configuration that the jobs came with, never changed", lambda: HandsOff("static")),
    "reactive": Entry("a horizontal autoscaler for each job, at 35 % CPU", Reactive),
    "ds2": Entry("each job sized for its input rate from true processing rates", Ds2),
    "henge": Entry("utility of all jobs together: reconfigure, reduce, revert", Henge),
}


def policy_named(name: str) -> Policy:
    """The policy of that name, held to the limits of jobs and cluster.

    >>> policy_named("henge").name
    'henge'
    """
    if name not in POLICIES:
        raise ConfigError("policy", name, f"choose one of {', '.join(POLICIES)}")
    return WithLimits(POLICIES[name].make())
