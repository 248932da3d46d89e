"""PageLoad's right answer."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from penstock.workloads.records.pages import sites_of_pages
from tests.workloads.twins.tables import table, window_of


def page_load(lines: Sequence[str]) -> Mapping[tuple[str, int], tuple[int, float, int]]:
    """(loads, mean, longest) by (site, window), times in milliseconds."""
    site_of = {str(row["page"]): str(row["site"]) for row in sites_of_pages() if row["active"]}
    times: dict[tuple[str, int], list[int]] = defaultdict(list)
    for request in table(lines).to_dict("records"):
        page = request["url"].removeprefix("https://shop.example/").split("?")[0]
        if request["kind"] == "page" and request["status"] == 200 and page in site_of:
            times[site_of[page], window_of(request["event_ms"])].append(request["load_ms"])
    return {key: (len(found), sum(found) / len(found), max(found)) for key, found in times.items()}
