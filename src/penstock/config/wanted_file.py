"""A file of what is wanted of queries, of either kind: a tenants file, or OpenSLO documents."""

from collections.abc import Callable
from pathlib import Path

from penstock.config.document import Document, document_in, is_openslo, read_text
from penstock.config.openslo import openslo_in
from penstock.config.wanted import WantedFile, wanted_in


def read_wanted(path: Path, tell: Callable[[str], None] = lambda text: None) -> WantedFile:
    """What that file wants, checked; `tell` hears what of OpenSLO documents is no part of it."""
    text = read_text(path, "tenants file")
    if not is_openslo(text):
        return wanted_in(document_in(text, path, "tenants file"))
    read = openslo_in(text, path)
    for left_out in read.left_out:
        tell(left_out)
    return wanted_in(Document(str(path), {"jobs": list(read.jobs)}))
