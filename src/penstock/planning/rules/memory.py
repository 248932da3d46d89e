"""Executors that are short of memory: said once for each size of them, or given twice as much, as the setting says.

The sign is the time of their tasks that garbage collection takes (`MachineFigures.gc_share`). It is no tenant's own,
and more memory costs every tenant a restart of its query: hence advice by default.

    gc_share   0.03  0.12  0.15 ... two minutes ... 0.14      0.15      0.02
                     short since                    decided   nothing   at ease: counted anew
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from penstock.core.levers import WHOLE, Dial, Disturbs, figure_text, move_of
from penstock.core.plan import Decision, Reason
from penstock.core.seen.view import View
from penstock.core.units import text_of_seconds
from penstock.planning.combined_settings import CombinedSettings, MemoryMode

SHORT_FROM = 0.1  # of the tasks' time; from here on Spark's own pages show it in red
# Twice the window of figures: what executors collect while they start is out of it by then, and so is one large batch.
SHORT_FOR_S = 120.0
_TIMES = 2  # a size that is a little larger would soon ask for the next restart


@dataclass(frozen=True, slots=True)
class ShortMemory:
    """Since when executors are short of memory, and of which size of them, in MiB, that was said last."""

    since_s: float | None = None
    told_mib: float | None = None


def rule(
    view: View, memory: Mapping[str, float | None], settings: CombinedSettings
) -> tuple[tuple[Decision, ...], Mapping[str, float | None]]:
    """As the setting for memory says."""
    decisions, known = _more_memory(view, ShortMemory(**memory), settings.memory)
    return decisions, asdict(known)


def _more_memory(view: View, memory: ShortMemory, mode: MemoryMode | str) -> tuple[tuple[Decision, ...], ShortMemory]:
    """A decision where executors have been short for long enough, at the most one for each size of them.

    A larger size that did not come leaves the old one, of which it was said: it is not asked for again and again.
    """
    dial = next((dial for dial in view.levers if (dial.kind, dial.job) == ("memory", WHOLE)), None)
    share = max((machine.gc_share or 0.0 for machine in view.machines if machine.alive), default=0.0)
    if not view.fresh:
        return (), memory
    if mode == MemoryMode.OFF or dial is None or dial.now is None or dial.asked is not None or share < SHORT_FROM:
        return (), replace(memory, since_s=None)
    since_s = view.at_s if memory.since_s is None else memory.since_s
    known = replace(memory, since_s=since_s)
    if view.at_s - since_s < SHORT_FOR_S or memory.told_mib == dial.now:
        return (), known
    return (_decided(view, dial, share, mode),), replace(known, told_mib=dial.now)


def _decided(view: View, dial: Dial, share: float, mode: MemoryMode | str) -> Decision:
    now = dial.now or 0.0
    wanted = dial.held(_TIMES * now) or now
    short = (
        f"executors spend {share:.0%} of their tasks' time on garbage collection, for {text_of_seconds(SHORT_FOR_S)} "
        f"and more: {figure_text('memory', now)} of memory are too little"
    )
    if wanted <= now:
        why = f"{short}, and no worker has more; spread the jobs over more executors, or run fewer"
        return Decision(Reason.ADVISED, (), why, view.at_s, view.utility)
    cost = "no query notices" if dial.disturbs is Disturbs.NOTHING else dial.disturbs.value
    why = f"{short}; {figure_text('memory', wanted)} can be had, and {cost} for it"
    if mode == MemoryMode.ADVISE:
        return Decision(Reason.ADVISED, (), why, view.at_s, view.utility)
    return Decision(Reason.RESCALED, (move_of(dial, wanted),), why, view.at_s, view.utility)
