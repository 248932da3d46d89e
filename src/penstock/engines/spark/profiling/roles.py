"""How a thread says which it is: known to the threads in Spark's Python workers and to who hands out the work."""


def role_of(address: str, operator: str | None) -> str:
    """A thread's place, and its operator where it is bound to one.

    >>> role_of("127.0.0.11", None), role_of("127.0.0.11", "parse")
    ('127.0.0.11', '127.0.0.11/parse')
    """
    return address if operator is None else f"{address}/{operator}"
