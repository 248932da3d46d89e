"""The Yahoo! streaming benchmark: views, clicks and purchases of ads, and the table of ads and their campaigns."""

import numpy as np
import pandas as pd

from penstock.workloads.draws import Draws, Millis
from penstock.workloads.records.lines import json_lines

CAMPAIGNS = 100
ADS_PER_CAMPAIGN = 10
EVENT_TYPES = np.array(["view", "click", "purchase"])
_AD_TYPES = np.array(["banner", "modal", "sponsored-search", "mail", "mobile"])
_USERS = 100_000
_PAGES = 1000


def make(draws: Draws, event_ms: Millis) -> list[str]:
    """Events of ads, a third of each type, all ads as likely, as the benchmark has them."""
    ads = draws.below("ad", CAMPAIGNS * ADS_PER_CAMPAIGN)
    return json_lines(
        {
            "user_id": draws.below("user", _USERS),
            "page_id": draws.below("page", _PAGES),
            "ad_id": _ids("ad", ads),
            "ad_type": _AD_TYPES[draws.below("ad type", len(_AD_TYPES))],
            "event_type": EVENT_TYPES[draws.below("event type", len(EVENT_TYPES))],
            "event_ms": event_ms,
            "ip_address": "1.2.3.4",
        }
    )


def campaigns_of_ads() -> pd.DataFrame:
    """The table that is joined: `ad_id` and its `campaign_id`."""
    ads = np.arange(CAMPAIGNS * ADS_PER_CAMPAIGN)
    return pd.DataFrame({"ad_id": _ids("ad", ads), "campaign_id": _ids("campaign", ads // ADS_PER_CAMPAIGN)})


def _ids(what: str, numbers: np.ndarray) -> list[str]:
    return [f"{what}-{number:06d}" for number in numbers.tolist()]
