"""A file of what is wanted of queries, of either kind: a tenants file, or OpenSLO documents."""

from collections.abc import Callable
from pathlib import Path

from penstock.config.document import Document, is_openslo, read_document, read_text
from penstock.config.openslo import read_openslo
from penstock.config.wanted import WantedFile, wanted_in


def read_wanted(path: Path, tell: Callable[[str], None] = lambda text: None) -> WantedFile:
    """What that file wants, checked; `tell` hears what of OpenSLO documents is no part of it."""
    if not is_openslo(read_text(path, "tenants file")):
        return wanted_in(read_document(path, "tenants file"))
    read = read_openslo(path)
    for text in read.left_out:
        tell(text)
    return wanted_in(Document(str(path), {"jobs": list(read.jobs)}))
