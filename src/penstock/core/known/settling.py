"""How long a decision needs until what came of it can be told, and how long it is looked at."""

from collections.abc import Mapping

from penstock.core.levers import Kind
from penstock.core.plan import Decision

SETTLES_S = 60.0  # Henge, section 4.3.1: utilities quiesce in "a minute or so"; also juice's window
# What starts a query again, or waits for the cluster: the first batches after it take what gathered meanwhile.
LATER_S: Mapping[Kind, float] = {"executors": 90.0, "partitions": 90.0, "trigger": 90.0, "memory": 120.0}
LONGEST_SETTLE_S = max(LATER_S.values())  # rounds are kept for twice that, and a verdict comes by then or never
LOOKS = (1.0, 2.0, 5.0)  # times the settle time: when a decision is judged, and again where that was no good news
OPEN_AT_MOST_S = (LOOKS[-1] + 1.0) * LONGEST_SETTLE_S  # after it was taken no decision is looked at any more


def settles_s(decision: Decision) -> float:
    """How long the utilities of those concerned need until they are quiet again, by what the decision turned."""
    return max((LATER_S.get(move.kind, SETTLES_S) for move in decision.moves), default=SETTLES_S)
