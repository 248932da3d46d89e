"""Remedies: what a person does about an error of Spark's that its own words do not tell."""

# By the condition that Spark names in its errors.
_REMEDIES = {
    "STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY": (
        "state of an earlier query is there, but no batch: executors of that query wrote it after its checkpoint was "
        "removed, or the offsets were lost. To begin anew, remove that folder; else restore the whole checkpoint"
    ),
}


def with_remedy(why: str) -> str:
    """Why a query failed, and what to do about it where that is known.

    >>> with_remedy("[STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY] it should be empty on batch 0").split(". ")[1]
    'To begin anew, remove that folder; else restore the whole checkpoint'
    >>> with_remedy("ValueError: no such table")
    'ValueError: no such table'
    """
    found = next((remedy for condition, remedy in _REMEDIES.items() if f"[{condition}" in why), None)
    return why if found is None else f"{why}; {found}"
