"""Two-stage counting: messages from a location with a tag; a location mostly speaks of its own tags."""

from penstock.workloads.draws import Draws, Millis
from penstock.workloads.records.lines import json_lines

LOCATIONS = 60
TAGS = 300
TAGS_AT_HOME = TAGS // LOCATIONS
AT_HOME = 0.8  # the share of messages that use one of the location's own tags
_SKEW = 1.0


def make(draws: Draws, event_ms: Millis) -> list[str]:
    """Messages, mostly from the first locations."""
    location = draws.skewed("location", LOCATIONS, _SKEW)
    own = location * TAGS_AT_HOME + draws.below("own tag", TAGS_AT_HOME)
    any_tag = draws.skewed("any tag", TAGS, _SKEW)
    home = draws.uniform("home") < AT_HOME
    tag = own * home + any_tag * ~home
    return json_lines(
        {
            "location": [f"place-{number:03d}" for number in location.tolist()],
            "tag": [f"#tag{number:03d}" for number in tag.tolist()],
            "event_ms": event_ms,
        }
    )
