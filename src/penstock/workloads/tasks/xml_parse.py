"""Parse XML: a SAX parser over an array of documents in memory for each tuple; CPU and many small strings."""

import xml.sax
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from penstock.core.seen.trial import Work


@dataclass(frozen=True, slots=True)
class XmlParse:
    """The result is the number of elements, so that all of the text must be read."""

    documents: int = 10
    records: int = 40  # of each document
    name: str = "parse"

    @contextmanager
    def open(self) -> Iterator[Work]:
        """The documents are made once for each thread."""
        texts = [_document(number, self.records) for number in range(self.documents)]
        yield lambda message: float(sum(_elements(text) for text in texts))


class _Counting(xml.sax.ContentHandler):
    def __init__(self) -> None:
        super().__init__()
        self.elements = 0
        self.words: list[str] = []

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802, the parser's own name
        self.elements += 1
        self.words.extend(attrs.values())

    def characters(self, content: str) -> None:
        self.words.append(content)


def _elements(text: bytes) -> int:
    handler = _Counting()
    xml.sax.parseString(text, handler)
    return handler.elements


def _document(number: int, records: int) -> bytes:
    readings = "".join(
        f'<reading id="{number}-{at}" unit="far"><sensor>s{at % 7}</sensor><value>{at * 1.25:.3f}</value></reading>'
        for at in range(records)
    )
    return f'<?xml version="1.0"?><batch station="{number}">{readings}</batch>'.encode()
