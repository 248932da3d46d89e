"""Why a scale-out is chosen, in a sentence that a tenant understands."""

import math

from penstock.planning.phoebe.outlook import Outlook
from penstock.planning.phoebe.prospects import Peak, ScaleOutNeed


def why(outlook: Outlook, chosen: int, target_s: float | None, unit: str) -> str:
    """Such as "in 8 min the rate will be 140k/s; 14 executors recover in 171 s; 13 would need 196 s"."""
    ahead = outlook.ahead
    peak = ahead.peak(0)
    parts = [outlook.caveat] if outlook.caveat else []
    parts.append(f"{_when(peak, outlook)} {rate_text(peak.rate_rps)}")
    if target_s is not None:
        parts.append(f"{chosen} {unit} recover in {seconds_text(ahead.recovery_s(chosen))}")
    else:
        parts.append(f"{chosen} {unit} can process {rate_text(ahead.model.capacity.at(chosen))}")
    if chosen > 1:
        parts.append(_one_less(outlook, chosen - 1, target_s))
    if ahead.model.extrapolates(chosen, peak.rate_rps):
        parts.append("extrapolated beyond what was measured")
    return "; ".join(part for part in parts if part)


def missed(need: ScaleOutNeed, wanted: int, allowed: int, target_s: float | None, unit: str) -> str:
    """What cannot be had."""
    target = "" if target_s is None else f" instead of {seconds_text(target_s)}"
    more = (
        f"{wanted} {unit} would be enough, but only {allowed} are available"
        if wanted > allowed
        else f"more than {allowed} do not help"
    )
    return f"{more}: recovery takes {seconds_text(need.recovery_s)}{target}"


def rate_text(rate_rps: float) -> str:
    """Such as 140k/s."""
    if rate_rps >= 999_500:
        return f"{rate_rps / 1e6:.2f}M/s"
    return f"{rate_rps / 1000:.0f}k/s" if rate_rps >= 9_950 else f"{rate_rps:.0f}/s"


def seconds_text(seconds: float) -> str:
    """Whole seconds, or "forever"."""
    return f"{seconds:.0f} s" if math.isfinite(seconds) else "forever"


def _when(peak: Peak, outlook: Outlook) -> str:
    if outlook.forecast is None:
        return "the rate is"
    minutes = peak.in_s / 60.0
    return f"in {minutes:.0f} min the rate will be" if minutes >= 0.5 else "the rate is highest now:"


def _one_less(outlook: Outlook, fewer: int, target_s: float | None) -> str:
    if not outlook.ahead.keeps_up(fewer):
        return f"{fewer} would fall behind"
    if target_s is None:
        return ""
    return f"{fewer} would need {seconds_text(outlook.ahead.recovery_s(fewer))}"
