"""Commands as somebody calls them whom the mode bits of files bind: root reads and writes what it likes.

    python -m tests.cli.unprivileged '[["report", "last"]]'

Writes what each said, and how it ended.
"""

import ctypes
import json
import os
import sys
from dataclasses import asdict

_PR_CAPBSET_DROP = 24
_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 1, 2  # whose programs have none of these are bound
_BOUND = "bound"


def main() -> None:
    """Give these up for good, which counts from the next program on: that is this one once more."""
    if sys.argv[1] != _BOUND:
        for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
            ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # who is not root has none
        os.execv(sys.executable, [sys.executable, "-m", "tests.cli.unprivileged", _BOUND, sys.argv[1]])
    from tests.cli.calling import penstock

    json.dump([asdict(penstock(*arguments)) for arguments in json.loads(sys.argv[2])], sys.stdout)


if __name__ == "__main__":
    main()
