"""Standard streams: a program that was started without one, as by `2>&-`, gets one that leads nowhere.

Else whatever asks for the stream fails, and the next file that is opened stands in its place for all that is started.
"""

import errno
import os
import sys
from contextlib import suppress

NO_MORE_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # what a disk says that takes no more
_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))  # by their descriptors


def complete_streams() -> None:
    """Python has None for each that is missing."""
    for number, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)  # in the place of the stream, as the lowest that is free
            os.set_inheritable(nowhere, nowhere == number)
            setattr(sys, name, os.fdopen(nowhere, mode, encoding="utf-8", closefd=False))


def spill_output() -> None:
    """What standard output still holds goes nowhere: written at the very end, it would raise what was told before."""
    with suppress(OSError, ValueError):  # a stream that is no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
