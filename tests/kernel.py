"""A real Jupyter kernel, asked as the page of a notebook asks it."""

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.manager import start_new_kernel

from tests.patience import patience_s

Message = dict[str, Any]


@dataclass(slots=True)
class Ran:
    """What came of a cell."""

    error: str | None = None  # its kind
    told: str = ""  # what it printed
    shown: list[dict[str, Any]] = field(default_factory=list)  # bundles by media type, in their order
    updates: int = 0  # of what was shown before

    def hear(self, message: Message) -> None:
        """A message as the kernel publishes it."""
        content = message["content"]
        match message["msg_type"]:
            case "stream":
                self.told += content["text"]
            case "display_data" | "execute_result":
                self.shown.append(content["data"])
            case "update_display_data":
                self.shown.append(content["data"])
                self.updates += 1
            case "error":
                self.error = content["ename"]
                self.told += "\n".join(content["traceback"])


class Kernel:
    """One process."""

    def __init__(self, place: Path) -> None:
        self._manager, self._client = start_new_kernel(startup_timeout=patience_s(), cwd=str(place))

    def run(self, code: str, while_running: Callable[[Ran], None] = lambda ran: None) -> Ran:
        """Run a cell to its end; `while_running` sees what has come so far, at each message."""
        ran = Ran()

        def hear(message: Message) -> None:
            ran.hear(message)
            while_running(ran)

        self._client.execute_interactive(code, output_hook=hear, timeout=patience_s(), allow_stdin=False)
        return ran

    def interrupt(self) -> None:
        """As the page's button does."""
        self._manager.interrupt_kernel()

    def end(self) -> None:
        """Ask it to end, and wait until it has."""
        self._client.stop_channels()
        self._manager.shutdown_wait_time = patience_s()  # whoever lets go at the end has the time for it
        self._manager.shutdown_kernel()


@contextlib.contextmanager
def kernel(place: Path) -> Iterator[Kernel]:
    """It runs in that folder, and ends with the block."""
    made = Kernel(place)
    try:
        yield made
    finally:
        made.end()


def cells_of(notebook: Path) -> list[str]:
    """The code of a notebook, cell by cell."""
    document = json.loads(notebook.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"]
