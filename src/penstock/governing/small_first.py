"""Which jobs begin with small batches: those whose batches a policy may bound without asking anybody."""

from collections.abc import Collection, Iterable

from penstock.planning.registry import DEFAULT


def begin_small(policy: str, jobs: Iterable[str], approval: Collection[str], dry_run: bool) -> frozenset[str]:
    """Their names. Only the default policy knows batch bounds: under another one a batch stays as its options say.

    >>> sorted(begin_small("penstock", ["ads", "cars"], {"cars"}, dry_run=False))
    ['ads']
    """
    return frozenset() if dry_run or policy != DEFAULT else frozenset(jobs).difference(approval)
