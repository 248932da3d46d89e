"""Whether every row was counted once: the windows that a job told, beside the batch answer over its whole topic."""

import json
from collections.abc import Mapping

import pandas as pd
from observer import messages

from penstock.workloads.records.ads import campaigns_of_ads

WINDOW_MS = 10_000
Answer = Mapping[tuple[str, int], tuple[int, int]]  # by key and window: the count, and the top speed (0 for ads)


def exactly_once(bootstrap: str, job: str) -> tuple[int, int, int]:
    """The windows of the batch answer, how many were told otherwise or not at all, and the rows there were."""
    lines = [(message.value() or b"").decode() for message in messages(bootstrap, job)]
    right = batch_answer(job, lines)
    told = last_told(bootstrap, f"{job}_out")
    wrong = sum(told.get(key) != value for key, value in right.items()) + len(told.keys() - right.keys())
    return len(right), wrong, len(lines)


def last_told(bootstrap: str, topic: str) -> Answer:
    """Each window is told again as it grows, and after a failure once more: its largest is its last."""
    found: dict[tuple[str, int], tuple[int, int]] = {}
    for message in messages(bootstrap, topic):
        told = json.loads(message.value() or b"{}")
        key = (str(told["key"]), int(told["window"]))
        value = (int(told["count"]), int(told.get("top", 0)))
        found[key] = max(found.get(key, value), value)
    return found


def batch_answer(job: str, lines: list[str]) -> Answer:
    """Over all rows at once."""
    rows = pd.DataFrame([json.loads(line) for line in lines])
    if job == "ads":
        rows = rows[rows["event_type"] == "view"].merge(campaigns_of_ads(), on="ad_id")
        rows = rows.assign(key=rows["campaign_id"], top=0)
    else:
        rows = rows.assign(key=rows["car"].astype(str), top=rows["speed_kmh"])
    grouped = rows.assign(window=rows["event_ms"] - rows["event_ms"] % WINDOW_MS).groupby(["key", "window"])["top"]
    both = pd.DataFrame({"count": grouped.size(), "top": grouped.max()})
    counted = zip(both.index, both["count"], both["top"], strict=True)
    return {(str(key), int(at_ms)): (int(count), int(top)) for (key, at_ms), count, top in counted}
