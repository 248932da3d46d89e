"""What may come, as the arbiter thinks of it: a few futures, and how likely each is."""

from dataclasses import dataclass, replace

import numpy as np

from penstock.core.arrays import Floats


@dataclass(frozen=True, slots=True)
class PossibleFuture:
    """What may come: so many times what arrives now, and how likely it is.

    `cold`: work goes on to cost what it cost lately, though code that is new mostly gets quicker. `warm`: it soon gets
    as quick as such code can, on the driver too.
    `foretold`: of what a forecast says that will arrive, where one is to be trusted. `feared`: nothing speaks for it.
    """

    arrivals: float
    likely: float
    cold: bool = False
    warm: bool = False
    foretold: bool = False
    feared: bool = False


_MORE, _MORE_WHILE_NEW = 0.15, 0.5  # of what arrives, that is feared to come beside it; over a job's batches
# What holds by a hair holds for a moment: of two that are as good now, the one that would bear more is better.
_STEADY_FUTURES = (PossibleFuture(1.0, 0.7), PossibleFuture(1.0 + _MORE, 0.3, feared=True))
_FEARED = 0.2  # how likely that is while code is new
# That work stays as dear as it is, if it was not seen to get cheaper; that it soon costs the least, if it was.
_STAYS, _WARMS = 0.17, 0.7
_WARM = 0.95
# A forecast that was right before says when, or how much, less well than that.
FORETOLD_FUTURES = (
    PossibleFuture(1.0, 0.3),
    PossibleFuture(1.0, 0.5, foretold=True),
    PossibleFuture(1.0 + _MORE, 0.2, foretold=True, feared=True),
)
_CHANGES = 0.1  # of what arrives: less is no other future


def futures_of(
    could_cost: Floats, fell: float, arrivals: Floats, foretold: Floats, batches: int
) -> tuple[PossibleFuture, ...]:
    """What is thought of; of few batches it is little known what rows take, which is as if more of them came.

    `could_cost`: what work of each will cost soon, of what it costs now, on as many cores as its tasks want.
    `fell`: how much of the fall of new code's costs was seen to come: 0 none, 1 all of it.
    """
    changes = bool(np.any(np.abs(foretold - arrivals) > _CHANGES * arrivals))
    futures = while_young(fell) if float(could_cost.min()) < _WARM else FORETOLD_FUTURES if changes else _STEADY_FUTURES
    while_new = _MORE_WHILE_NEW / max(1, batches)
    return tuple(replace(one, arrivals=one.arrivals + while_new) if one.feared else one for one in futures)


def while_young(fell: float) -> tuple[PossibleFuture, ...]:
    """While code is new. It costs two to four times what it costs a minute later: who cannot be served now may be soon.

    By what it costs now such a one is beyond rescue whatever is done, and would be given up for those who are worth
    less. How much it will fall is seen within some batches: what was seen is believed.
    """
    stays, warms = _STAYS * (1.0 - fell), _WARMS * fell
    futures = (
        PossibleFuture(1.0, 1.0 - _FEARED - stays - warms),
        PossibleFuture(1.0 + _MORE, _FEARED, feared=True),
        PossibleFuture(1.0, stays, cold=True),
        PossibleFuture(1.0, warms, warm=True),
    )
    return tuple(future for future in futures if future.likely > 0.0)
