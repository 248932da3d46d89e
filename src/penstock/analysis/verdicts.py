"""What came of each decision: its utility before and after, once it had time to show."""

from collections.abc import Sequence
from dataclasses import dataclass

from penstock.core.plan import Decision, Verdict
from penstock.core.view import View

JUDGED_AFTER_S = 60.0  # Henge, section 4.3.1: utilities quiesce in "a minute or so"; also juice's window


@dataclass(frozen=True, slots=True)
class OpenDecisions:
    """Decisions whose effect is not known yet."""

    decisions: tuple[Decision, ...] = ()

    def judge(self, view: View, taken: Sequence[Decision]) -> tuple["OpenDecisions", tuple[Verdict, ...]]:
        """Close what is due: after a minute, or when another decision is about to blur the effect."""
        due = tuple(d for d in self.decisions if taken or view.at_s - d.at_s >= JUDGED_AFTER_S)
        still_open = tuple(d for d in self.decisions if d not in due)
        return OpenDecisions((*still_open, *taken)), tuple(_verdict(d, view) for d in due)


def _verdict(decision: Decision, view: View) -> Verdict:
    gain = view.utility - decision.utility_before
    text = f"utility {decision.utility_before:.1f} -> {view.utility:.1f}"
    if decision.expected_utility is not None:
        text += f" (expected {decision.expected_utility:.1f})"
    word = "no change" if abs(gain) < 0.005 * max(view.max_utility, 1e-9) else "better" if gain > 0 else "worse"
    return Verdict(decision.at_s, view.at_s, view.utility, f"{word}: {text}")
