"""Places in a notebook that show a governed application, and are written anew after each round."""

import logging
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from penstock.errors import told

MediaBundle = Mapping[str, str]  # what is to be shown, by its media type

_log = logging.getLogger("penstock")
_FOLLOWED = 4  # the newest; a cell that is run again and again leaves many that nobody sees any more


class Displays:
    """The newest few. What IPython says no to is its own trouble: governing goes on, and that place is left alone."""

    def __init__(self, publish: Callable[[MediaBundle], Any] | None = None) -> None:
        """`publish` shows a bundle for the first time, and answers what `update` can be asked of."""
        self._publish = publish or _publish
        self._handles: deque[Any] = deque(maxlen=_FOLLOWED)

    def add(self, bundle: MediaBundle) -> None:
        """Show it in the cell that runs, and follow it there."""
        handle = self._publish(bundle)
        if handle is not None:  # a shell in a terminal shows once
            self._handles.append(handle)

    def show(self, make: Callable[[], MediaBundle]) -> None:
        """Have all of them show what is made; nothing is where nobody looks."""
        handles = tuple(self._handles)
        try:
            bundle = make() if handles else {}
        except Exception as error:
            _log.warning("what a notebook is to show could not be made: %s", told(error))
            return
        for handle in handles:
            try:
                handle.update(bundle, raw=True)
            except Exception as error:
                _log.debug("a display is left alone: %s", told(error))
                with suppress(ValueError):  # a newer one has taken its place meanwhile, or another thread found it gone
                    self._handles.remove(handle)


def _publish(bundle: MediaBundle) -> Any:
    from IPython import get_ipython  # it is IPython that asks
    from IPython.display import display

    handle = display(bundle, raw=True, display_id=True)  # type: ignore[no-untyped-call]
    return handle if getattr(get_ipython(), "kernel", None) is not None else None  # a terminal would print each again
