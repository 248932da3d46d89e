"""For `make docs`: what a page links to beyond docs/ is named on the site, where there is no file to lead to."""

import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(((?!https?:)[^)#\s]+)(#[^)]*)?\)")
_DOCS = Path(__file__).parents[1] / "docs"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by mkdocs for each page."""
    here = (_DOCS / page.file.src_uri).parent
    return _LINK.sub(lambda link: _named(link, here), markdown)


def _named(link: "re.Match[str]", here: Path) -> str:
    target = (here / link[2]).resolve()
    if target.suffix == ".md" and target.is_relative_to(_DOCS):
        return link[0]
    if target.is_relative_to(_DOCS) and target.is_file():
        return link[0]
    if not target.exists() or target.is_relative_to(_DOCS):
        return link[0]  # mkdocs says what is wrong with it
    return f"{link[1]} (`{target.relative_to(_DOCS.parent)}`)" if link[1].strip("`") not in link[2] else link[1]
