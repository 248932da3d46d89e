"""Words of others made safe to show: what a terminal would obey instead of showing it stands there as Python writes it.

Names, errors of tenants and what people type travel as they are; whoever prints them goes through here.
"""

import re

# Control characters (ESC begins what moves the cursor or sets a title), those that turn the direction of writing round,
# which make a line read as another, the line ends that are not "\n", and halves of characters, which no encoding takes.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str, lines: bool = False) -> str:
    """The text in one line; with `lines` a new line stays one.

    >>> print(visible("fine \\x1b[2J\\nann: approve"), visible("über 5 µs"))
    fine \\x1b[2J\\nann: approve über 5 µs
    """
    return _UNSEEN.sub(lambda found: _written(found[0], lines), text)


def _written(character: str, lines: bool) -> str:
    return character if lines and character == "\n" else character.encode("unicode_escape").decode("ascii")
