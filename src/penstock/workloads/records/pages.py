"""PageLoad: requests of web pages, with how long they took; and the sites that the pages belong to."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from penstock.workloads.draws import Draws, Index, Millis
from penstock.workloads.records.lines import json_lines

PAGES = 500
SITES = 20
_STATUSES = np.array([200, 200, 200, 200, 200, 200, 200, 304, 404, 500])
_KINDS = np.array(["page", "page", "page", "image", "script"])
_SKEW = 1.5  # a fifth of the pages draws half of the requests


def make(draws: Draws, event_ms: Millis) -> list[str]:
    """Requests, mostly of the first pages, which are mostly answered well and slowly now and then."""
    page = draws.skewed("page", PAGES, _SKEW)
    load_ms = np.exp(5.0 + 0.8 * draws.normal("load")).astype(np.int64)
    return json_lines(
        {
            "url": [f"https://shop.example/{number:04d}?visit={visit}" for number, visit in _pairs(draws, page)],
            "kind": _KINDS[draws.below("kind", len(_KINDS))],
            "status": _STATUSES[draws.below("status", len(_STATUSES))],
            "load_ms": load_ms,
            "event_ms": event_ms,
        }
    )


def _pairs(draws: Draws, page: Index) -> Iterator[tuple[int, int]]:
    return zip(page.tolist(), draws.below("visit", 1_000_000).tolist(), strict=True)


def sites_of_pages() -> Sequence[Mapping[str, object]]:
    """The database's table: each page's site, and whether the site is still looked after."""
    return [
        {"page": f"{number:04d}", "site": f"site-{number % SITES:02d}", "active": number % SITES % 4 != 3}
        for number in range(PAGES)
    ]
