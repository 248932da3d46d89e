"""What a policy foretells of tenants, and how far off it has been: every decision is made on a prediction.

A figure that nobody foretold, or that was absent when the decision was made, is None.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

NAMED = 3  # tenants; the rest are counted
NOTICED = 0.05  # of a latency or a utility, either way: a change below that nobody would notice
NOTICED_JUICE = 0.02  # of the input


@dataclass(frozen=True, slots=True)
class Foretold:
    """What a decision expects of one tenant; `was_` is the same before it, as things stood.

    Of one that is later than the `target_s` that it asks for, `back_s` says how soon it is not any more.
    """

    job: str
    latency_s: float | None
    juice: float | None
    utility: float
    was_latency_s: float | None
    was_juice: float | None
    was_utility: float
    target_s: float | None = None
    back_s: float | None = None

    @property
    def gain(self) -> float:
        """What it wins, or loses, of utility."""
        return self.utility - self.was_utility

    @property
    def later(self) -> bool:
        """Whether its latency changes so much that one would notice."""
        return _differs(self.latency_s, self.was_latency_s)

    @property
    def fuller(self) -> bool:
        """Whether so much more, or less, of its input is processed that one would notice."""
        if self.juice is None or self.was_juice is None:
            return False
        return abs(self.juice - self.was_juice) >= NOTICED_JUICE

    @property
    def noticed(self) -> bool:
        """Whether anything of it changes so much that one would notice."""
        return self.later or self.fuller or self.back_s is not None or _differs(self.utility, self.was_utility)

    @property
    def back_text(self) -> str:
        """When it comes back to what it asks for; empty where that was not foretold.

        >>> Foretold("fraud", None, None, 40.0, None, None, 3.0, target_s=2.0, back_s=38.7).back_text
        'back at 2 s in about 39 s'
        """
        if self.target_s is None or self.back_s is None:
            return ""
        return f"back at {self.target_s:g} s in about {self.back_s:.0f} s"

    @property
    def text(self) -> str:
        """What changes, in words.

        >>> Foretold("payments", 2.1, 1.0, 30.0, 6.4, 1.0, 10.0).text
        'payments 2.1 s instead of 6.4 s'
        >>> Foretold("clicks", None, 0.72, 7.0, None, 1.0, 10.0).text
        'clicks processes 72 % of its input instead of 100 %, which costs 3.0 utility'
        >>> Foretold("fraud", None, None, 40.0, None, None, 3.0, target_s=2.0, back_s=38.7).text
        'fraud gains 37.0 utility and is back at 2 s in about 39 s'
        """
        parts = []
        if self.later and self.latency_s is not None:
            parts.append(f"{seconds_text(self.latency_s)} instead of {seconds_text(self.was_latency_s)}")
        if self.fuller and self.juice is not None and self.was_juice is not None:
            parts.append(f"processes {100 * self.juice:.0f} % of its input instead of {100 * self.was_juice:.0f} %")
        back = f"is {self.back_text}" if self.back_text else ""
        if not parts:
            gain = f"{'gains' if self.gain > 0 else 'loses'} {abs(self.gain):.1f} utility"
            return f"{self.job} {' and '.join(filter(None, (gain, back)))}"
        costs = _differs(self.utility, self.was_utility) and self.gain < 0
        cost = f", which costs {-self.gain:.1f} utility" if costs else ""
        return f"{self.job} {' and '.join(filter(None, (*parts, back)))}{cost}"


@dataclass(frozen=True, slots=True)
class PredictionError:
    """The running record of a policy's own error about one tenant.

    `share` is the mean distance between the utility foretold and the one that came, as a share of the tenant's
    maximum, over `of` comparisons.
    """

    job: str
    share: float
    of: int


def foretold_text(foretold: Sequence[Foretold]) -> str:
    """What a decision expects, tenant by tenant: of those whose lot changes, the most by name; empty where unsaid.

    >>> same = Foretold("geo", 1.0, None, 5.0, 1.0, None, 5.0)
    >>> foretold_text([Foretold("ads", 2.1, None, 30.0, 6.4, None, 10.0), same]), foretold_text([same])
    ('ads 2.1 s instead of 6.4 s', 'no noticeable change')
    """
    if not foretold:
        return ""
    changed = most_changed(foretold)
    if not changed:
        return "no noticeable change"
    more = len(changed) - NAMED
    rest = f"; and {more} more {'changes' if more == 1 else 'change'}" if more > 0 else ""
    return "; ".join(one.text for one in changed[:NAMED]) + rest


def most_changed(foretold: Iterable[Foretold]) -> list[Foretold]:
    """Those whose lot changes noticeably, who wins or loses most first."""
    return sorted((one for one in foretold if one.noticed), key=lambda one: (-abs(one.gain), one.job))


def seconds_text(value: float | None) -> str:
    """Seconds as a reader takes them in.

    >>> seconds_text(0.234), seconds_text(2.14), seconds_text(171.0), seconds_text(None)
    ('0.23 s', '2.1 s', '171 s', 'an unknown latency')
    """
    if value is None:
        return "an unknown latency"
    return f"{value:.2f} s" if value < 1 else f"{value:.1f} s" if value < 100 else f"{value:.0f} s"


def _differs(now: float | None, was: float | None) -> bool:
    if now is None:
        return False
    return was is None or abs(now - was) >= NOTICED * max(abs(now), abs(was), 1e-9)
