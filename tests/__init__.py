"""The tests of penstock, and what they share."""

import os
import sys

# Who may write no bytecode compiles every library again at each start: a child of a test takes twice as long. A
# conftest.py says so too late: the first one imports hypothesis, which pytest rewrites and compiles as it does tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
