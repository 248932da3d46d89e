"""Markup that cannot be broken by what users write: every plain text is escaped where it enters."""

from html import escape


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


Child = str | None
_EMPTY = frozenset({"path", "rect", "line", "meta", "col"})


def tag(name: str, /, *children: Child, **attributes: object) -> Markup:
    """An element. Plain text among the children is escaped; an attribute that is None is left out.

    >>> tag("p", "a < b", tag("b", "!"), class_="loud", data_label="x")
    '<p class="loud" data-label="x">a &lt; b<b>!</b></p>'
    """
    stated = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    given = "".join(f' {key}="{escape(str(value))}"' for key, value in stated.items())
    if name in _EMPTY and not children:
        return Markup(f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{joined(*children)}</{name}>")


def joined(*children: Child) -> Markup:
    """The children one after the other."""
    return Markup("".join(child if isinstance(child, Markup) else escape(child) for child in children if child))
