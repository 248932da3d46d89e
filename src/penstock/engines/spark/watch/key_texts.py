"""Keys as texts: in tables, by which queries look them up, and in what a batch tells of the rows it drew."""

from penstock.core.seen.pairs import Key

BETWEEN_PARTS = "\x1f"  # of a key of several columns


def key_text(key: Key) -> str:
    """A key as the text by which queries look it up.

    >>> key_text(7), key_text(("Asia", 7))
    ('7', 'Asia\\x1f7')
    """
    return BETWEEN_PARTS.join(str(part) for part in key) if isinstance(key, tuple) else str(key)


def key_named(text: str) -> Key:
    """The key of that text; its parts are texts.

    >>> key_named("7"), key_named("Asia\\x1f7")
    ('7', ('Asia', '7'))
    """
    parts = tuple(text.split(BETWEEN_PARTS))
    return parts if len(parts) > 1 else text
