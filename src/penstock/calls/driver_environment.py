"""What a driver that is a process of its own is told by its environment, which its owner alone may read.

A command line is seen by everybody on the machine, and a store's address or a notifier's may hold a password.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from penstock.errors import ConfigError

STORE, NOTIFY = "PENSTOCK_STORE", "PENSTOCK_NOTIFY"
_OPTIONS = ("--store", "--notify")


def unseen(store: str | None, notify: Collection[str] = ()) -> Mapping[str, str]:
    """The variables that stand for these options; one that was not given is left as it is here.

    >>> dict(unseen("postgresql://ann:s3cret@here/runs", ["slack:https://hooks/x", "lines:y"]))
    {'PENSTOCK_STORE': 'postgresql://ann:s3cret@here/runs', 'PENSTOCK_NOTIFY': 'slack:https://hooks/x\\nlines:y'}
    """
    for target in notify:
        if not target.isprintable():
            kind = target.partition(":")[0][:20]  # the rest may be a secret
            raise ConfigError("--notify", kind, "write it in one line, without characters that cannot be printed")
    told = {STORE: store, NOTIFY: "\n".join(notify) or None}
    return {name: value for name, value in told.items() if value is not None}


def targets_in(lines: str) -> list[str]:
    r"""The notifiers that the variable names, each in a line of its own.

    >>> targets_in("slack:https://hooks/x\n lines:a file.jsonl \n\n")
    ['slack:https://hooks/x', 'lines:a file.jsonl']
    """
    return [line.strip() for line in lines.splitlines() if line.strip()]


def seen(arguments: Sequence[str]) -> list[str]:
    """A command line's words without the options that the environment has.

    >>> seen(["run", "shop.yaml", "--store", "x", "--watch", "--notify=slack:y", "--for", "10m"])
    ['run', 'shop.yaml', '--watch', '--for', '10m']
    """
    return list(_seen(arguments))


def _seen(arguments: Sequence[str]) -> Iterator[str]:
    words = iter(arguments)
    for word in words:
        if word in _OPTIONS:
            next(words, None)  # its value
        elif not word.startswith(tuple(f"{option}=" for option in _OPTIONS)):
            yield word
