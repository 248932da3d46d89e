"""The ways to place threads, by name: what a command line shows before it places.

`dsm`, `rsm` and `sam` are algorithms 4, 5 and 6 to the letter; the others are ours.
"""

METHODS = ("dsm", "rsm", "rsm-by-need", "sam", "sam-by-need", "best")
DEFAULT_METHOD = "sam-by-need"
