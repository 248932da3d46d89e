"""Levers in the words of a reader, for the terminal and the page."""

from penstock.core.levers import ALL_OPERATORS, WHOLE, Dial, figure_text


def owner(dial: Dial) -> str:
    """Whose lever it is.

    >>> owner(Dial("executors", WHOLE, 2, 1))
    'application'
    """
    return "application" if dial.job == WHOLE else dial.job


def lever_name(dial: Dial) -> str:
    """Which of its owner's levers it is.

    >>> lever_name(Dial("bound", "ads", None, 1)), lever_name(Dial("tasks", "ads", 3, 1, operator="map"))
    ('bound', 'tasks of map')
    """
    return dial.kind if dial.operator == ALL_OPERATORS else f"{dial.kind} of {dial.operator}"


def now_text(dial: Dial) -> str:
    """How it stands.

    >>> now_text(Dial("bound", "ads", None, 1)), now_text(Dial("partitions", "ads", None, 1))
    ('none', 'not known')
    """
    return "not known" if dial.now is None and dial.kind != "bound" else figure_text(dial.kind, dial.now)


def asked_text(dial: Dial) -> str | None:
    """What was asked for and has not come yet."""
    return None if dial.asked is None else figure_text(dial.kind, dial.asked)


def limits_text(dial: Dial) -> str:
    """How far it can be turned.

    >>> limits_text(Dial("slots", "ads", 3, 1, 6)), limits_text(Dial("memory", WHOLE, 1024, 512))
    ('1 to 6', '512 MiB or more')
    """
    least = figure_text(dial.kind, dial.least)
    return f"{least} or more" if dial.most is None else f"{least} to {figure_text(dial.kind, dial.most)}"
