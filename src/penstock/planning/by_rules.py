"""What is decided of levers by rules of their own: each kind's is found by its name, so nothing here names a lever."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Protocol, TypeAlias

from penstock.core.levers import KINDS, Kind
from penstock.core.plan import Decision, Plan
from penstock.core.seen.view import View
from penstock.planning import rules
from penstock.planning.combined_settings import CombinedSettings

RuleMemory: TypeAlias = Mapping[str, float | None]
"""What one rule remembers: figures by name, which any store can keep."""


class Rule(Protocol):
    """When levers of one kind are turned."""

    def __call__(
        self, view: View, memory: RuleMemory, settings: CombinedSettings
    ) -> tuple[tuple[Decision, ...], RuleMemory]: ...


@dataclass(frozen=True, slots=True)
class RulesMemory:
    """What each rule remembers, by its kind."""

    of: Mapping[Kind, RuleMemory] = field(default_factory=dict)


def rules_in(package: ModuleType) -> Mapping[Kind, Rule]:
    """The rules in the files of a package, in the order of the kinds.

    >>> [*rules_in(rules)]
    ['piece', 'memory']
    """
    files = {file.name for file in iter_modules(package.__path__)}
    return {kind: import_module(f"{package.__name__}.{kind}").rule for kind in KINDS if kind in files}


RULES: Mapping[Kind, Rule] = rules_in(rules)


def by_rules(
    all_rules: Mapping[Kind, Rule], view: View, memory: RulesMemory, settings: CombinedSettings
) -> tuple[Plan, RulesMemory]:
    """What all of them decide, one after the other."""
    found = {kind: rule(view, memory.of.get(kind, {}), settings) for kind, rule in all_rules.items()}
    decisions = tuple(decision for decided, _ in found.values() for decision in decided)
    return Plan(decisions), RulesMemory({kind: known for kind, (_, known) in found.items()})
