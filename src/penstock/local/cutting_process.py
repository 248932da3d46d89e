"""The process in which METIS computes: arrays in, arrays out, graph by graph. See `cutting`, which starts it.

It ends when nobody has asked for a while, and at once when whoever started it is gone, also while METIS computes.
"""

import fcntl
import io
import os
import select
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

IDLE_S = 60.0  # it holds 32 MB meanwhile; its start takes 0.2 s
_LENGTH_BYTES = 8  # of what says how many bytes follow


class Cuts(NamedTuple):
    """A graph and the tries at cutting it: with each row of `weights`, and with each seed."""

    starts: NDArray[np.int64]  # the neighbours of vertex v are `others` from starts[v] up to starts[v + 1]
    others: NDArray[np.int64]
    rows: NDArray[np.int64]  # of each neighbour
    weights: NDArray[np.int64]  # a row for each weighting of the vertices
    seeds: NDArray[np.int64]
    shares: NDArray[np.float64]  # of the parts
    bound: NDArray[np.int64]  # one number: thousandths by which a part may be above its share


def cut(cuts: Cuts) -> NDArray[np.int64]:
    """The part of each vertex: a row for each try, weighting by weighting."""
    tries = [_part(cuts, weights, seed) for weights in cuts.weights for seed in cuts.seeds.tolist()]
    return np.array(tries, dtype=np.int64)


def send(arrays: Mapping[str, NDArray[Any]], to: IO[bytes]) -> None:
    """Write them at once. They are never pickled, for what is read would then be run."""
    held = io.BytesIO()
    np.savez(held, **arrays)  # type: ignore[arg-type]  # none is called allow_pickle
    to.write(held.tell().to_bytes(_LENGTH_BYTES))
    to.write(held.getbuffer())
    to.flush()


def received(of: IO[bytes]) -> dict[str, NDArray[Any]]:
    """The next ones; an EOFError where the other side is gone."""
    length = int.from_bytes(of.read(_LENGTH_BYTES))
    told = of.read(length)
    if not length or len(told) < length:
        raise EOFError
    with np.load(io.BytesIO(told), allow_pickle=False) as arrays:
        return dict(arrays)


def main() -> None:
    """Answer what comes on standard input: the cuts, or in words why there are none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever asks, who then ends us
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # METIS complains on standard output
    asked = sys.stdin.buffer
    with suppress(BrokenPipeError, EOFError):
        while _comes(asked):
            cuts = Cuts(**received(asked))
            with _ending_with_whoever_asks(asked.fileno()):
                answer = _answer(cuts)
            send(answer, out)  # the next graph may come from now on


def _comes(asked: IO[bytes]) -> bool:
    """Whether anything does in time, the end too; whoever asks sends nothing more before it is answered."""
    return bool(select.select([asked], [], [], IDLE_S)[0])


@contextmanager
def _ending_with_whoever_asks(pipe: int) -> Iterator[None]:
    """Meanwhile the kernel ends this process once the pipe is closed: no Python runs while METIS computes.

    SIGTERM waits, for METIS makes a useless cut of it.
    """
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    plain = fcntl.fcntl(pipe, fcntl.F_GETFL)
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETFL, plain | os.O_ASYNC)
    if select.select([pipe], [], [], 0.0)[0]:  # it was closed a moment before
        sys.exit()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        fcntl.fcntl(pipe, fcntl.F_SETFL, plain)


def _answer(cuts: Cuts) -> dict[str, NDArray[Any]]:
    try:
        return {"parts": cut(cuts)}
    except (RuntimeError, MemoryError) as error:
        return {"words": np.array(f"{type(error).__name__} {error}".strip())}


def _part(cuts: Cuts, weights: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    import pymetis

    _, part = pymetis.part_graph(
        len(cuts.shares),
        pymetis.CSRAdjacency(cuts.starts, cuts.others),
        vweights=weights,
        eweights=cuts.rows,
        tpwgts=cuts.shares.tolist(),
        options=pymetis.Options(seed=seed, ufactor=int(cuts.bound[0])),
        recursive=False,
    )
    return np.asarray(part, dtype=np.int64)


if __name__ == "__main__":
    main()
