"""What is remembered beside a policy's own memory: the window of each route that was judged last."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, make_dataclass, replace
from functools import cache
from typing import Any, Generic, Self, TypeVar, cast

from penstock.core.seen.routes import RouteFigures

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class RoutedMemory(Generic[M]):
    """`inner` is the memory of the policy inside, `judged` the last window judged of each (job, route)."""

    inner: M
    judged: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def not_judged(self, routes: Iterable[RouteFigures]) -> tuple[RouteFigures, ...]:
        """The routes whose window is another than the one judged last, by name."""
        ordered = sorted(routes, key=lambda found: (found.job, found.route))
        return tuple(found for found in ordered if self.judged.get((found.job, found.route)) != found.window)

    def after(self, routes: Iterable[RouteFigures]) -> Self:
        """The memory once these windows have been judged."""
        new = {(found.job, found.route): found.window for found in routes}
        return replace(self, judged={**self.judged, **new}) if new else self


def memory_type(inner: type[M]) -> type[RoutedMemory[M]]:
    """`RoutedMemory` around a memory of that type, as a type of its own: a store builds what it kept by its type.

    >>> memory_type(int)(3).judged, memory_type(int) is memory_type(int)
    ({}, True)
    """
    made: type[RoutedMemory[M]] = _around(cast(Hashable, inner))
    return made


@cache
def _around(inner: Hashable) -> Any:
    name = f"Routed{cast(type, inner).__name__}"
    return make_dataclass(name, [("inner", inner)], bases=(RoutedMemory,), frozen=True, slots=True)
