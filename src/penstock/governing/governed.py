"""What a controller serves, and how: made by whoever starts one, from a call, a file, or queries that run already."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.core.asked.intents import Intent
from penstock.core.asked.orders import Control
from penstock.core.asked.price import Price
from penstock.core.known.job_models import JobModels
from penstock.core.ports import Policy, Store
from penstock.governing.pulse import Heart
from penstock.governing.remembering import Remembering
from penstock.loop import LoopSettings
from penstock.notifying.post import Post
from penstock.running.session import Session

if TYPE_CHECKING:  # types alone: most drivers have no coordinator and watch no file, and what these need takes 5 MiB
    from penstock.engines.applications.agent import Agent
    from penstock.governing.coordinated import ExecutorHolder
    from penstock.governing.watching import Renewal


@dataclass(frozen=True, slots=True)
class Governed:
    """What is asked of whom, who decides, where it is recorded, and what goes on beside."""

    intents: Mapping[str, Intent]
    policy: Policy
    remembering: Remembering | None = None
    settings: LoopSettings = LoopSettings()
    until_s: float = float("inf")
    models: Mapping[str, JobModels] = field(default_factory=dict)  # of jobs whose operators were profiled
    heart: Heart | None = None  # of a driver that somebody watches over
    agent: "Callable[[ExecutorHolder], Agent] | None" = None  # where a coordinator divides executors
    post: Post | None = None  # where somebody is told of what happens
    at_end: Callable[[], None] = lambda: None  # what else is to be let go of when a controller stops
    look: "Callable[[], Renewal | None]" = lambda: None  # for what is wanted anew, such as a file's changes
    slot_price: Price | None = None
    troubles: Callable[[], Sequence[str]] = tuple  # what else rounds are to tell of, in words, each once

    def session(self, store: Store, control: Control) -> Session:
        """The same as a session that is recorded there, and hears there what is asked of it."""
        parts = (self.policy, store, self.settings, control, self.until_s, self.models, self.slot_price)
        return Session(lambda: self.intents, *parts)
