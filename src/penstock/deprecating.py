"""What is to go works on until a version that is named, and whoever uses it is warned, with what to write instead."""

import warnings


class GoingWarning(FutureWarning):
    """Of a name or an argument that a later version of penstock will not have. Shown to everybody, as it is theirs."""


def going(what: str, instead: str, gone_in: str) -> None:
    """Warn at the line that called whoever calls this: once for each such line, as Python's filters have it.

    >>> with warnings.catch_warnings(record=True) as heard:
    ...     warnings.simplefilter("always")
    ...     going("ps.old_name", "write ps.new_name", "0.3")
    >>> print(heard[0].message)
    ps.old_name goes with penstock 0.3: write ps.new_name
    """
    warnings.warn(f"{what} goes with penstock {gone_in}: {instead}", GoingWarning, stacklevel=3)
