"""Standard streams: a program that was started without one, as by `2>&-`, gets one that leads nowhere.

Else whatever asks for the stream fails, and the next file that is opened stands in its place for all that is started.
"""

import os
import sys

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))  # by their descriptors


def complete_streams() -> None:
    """Python has None for each that is missing."""
    for number, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)  # in the place of the stream, as the lowest that is free
            os.set_inheritable(nowhere, nowhere == number)
            setattr(sys, name, os.fdopen(nowhere, mode, encoding="utf-8", closefd=False))
