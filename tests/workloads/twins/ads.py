"""The Yahoo! streaming benchmark's right answer."""

from collections import Counter
from collections.abc import Mapping, Sequence

from penstock.workloads.records.ads import campaigns_of_ads
from tests.workloads.twins.tables import table, window_of

CampaignWindow = tuple[str, int]


def campaigns(lines: Sequence[str]) -> Mapping[CampaignWindow, int]:
    """Views by (campaign, window)."""
    return Counter((campaign, window_of(event_ms)) for _, campaign, event_ms in views(lines))


def alerts(lines: Sequence[str]) -> Mapping[str, int]:
    """Views by campaign."""
    return Counter(campaign for _, campaign, _ in views(lines))


def views(lines: Sequence[str]) -> list[tuple[str, str, int]]:
    """(ad, its campaign, time) of every view."""
    campaign_of = dict(campaigns_of_ads().itertuples(index=False, name=None))
    events = table(lines)
    seen = events[events["event_type"] == "view"]
    return [(ad, campaign_of[ad], event_ms) for ad, event_ms in zip(seen["ad_id"], seen["event_ms"], strict=True)]
