"""Shares in the words of a reader: weight, slots and cores are never mixed up."""

from penstock.core.seen.shares import Pool, Share
from penstock.telling.words import count, number, percent


def share_text(share: Share) -> str:
    """What its threads stand for.

    >>> share_text(Share(5, Pool(8, {"ads": 5, "fraud": 6}))), share_text(Share(12))
    ('weight 5 of 11: 3.6 of 8 slots', '12 threads')
    """
    if share.pool is None:
        return count(share.threads, "thread")
    of = "" if share.slots is None else f": {number(share.slots)} of {count(share.pool.slots or 0, 'slot')}"
    return f"weight {share.threads} of {share.pool.weight}{of}"


def busy_text(share: Share) -> str | None:
    """How busy its share is, and what it used beyond that.

    >>> pool = Pool(8, {"ads": 2, "fraud": 6})
    >>> busy_text(Share(2, pool, busy=0.5)), busy_text(Share(2, pool, busy=2.5))
    ('busy 50 % of its share', 'all of its share, 5 slots with what others left')
    """
    if share.pool is None or share.busy is None:
        return None
    if share.busy <= 1.0 or share.used_slots is None:
        return f"busy {percent(min(1.0, share.busy))} of its share"
    return f"all of its share, {number(share.used_slots)} slots with what others left"


def given_text(pool: Pool, threads: int) -> str:
    """What all jobs have together: slots and weights, and threads of operators that have their own.

    >>> given_text(Pool(8, {"ads": 5, "fraud": 6}), 0), given_text(Pool(8, {"ads": 5}), 3), given_text(Pool(), 12)
    ('8 slots, weights of 11 in all', '5 of 8 slots given, 3 threads of their own', '12 threads')
    """
    if not pool.weights:
        return count(threads, "thread")
    own = f", {count(threads, 'thread')} of their own" if threads else ""
    if pool.slots is None:
        return f"weights of {pool.weight} in all{own}"
    if pool.weight <= pool.slots:
        return f"{pool.weight} of {count(pool.slots, 'slot')} given{own}"
    return f"{count(pool.slots, 'slot')}, weights of {pool.weight} in all{own}"
