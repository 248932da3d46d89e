"""`penstock simulate` as a call: a scenario under policies, and what became of its claims."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from penstock.core.ports import Store
from penstock.core.run import RunInfo
from penstock.errors import ConfigError
from penstock.simulation.checking import check_scenario
from penstock.simulation.expect import Finding, judge
from penstock.simulation.run import RunResult
from penstock.simulation.run import simulate as run_one
from penstock.simulation.scenario_file import Variant
from penstock.store.open import check_writable, open_store

Teller = Callable[[float], None]  # told of the simulated seconds that have passed


@dataclass(frozen=True, slots=True)
class Simulations:
    """Each variant under each policy, and each claim of the scenario."""

    results: tuple[RunResult, ...]
    findings: tuple[Finding, ...]
    seed: int

    @property
    def as_declared(self) -> bool:
        """Whether every claim came out as the scenario says."""
        return all(finding.as_declared for finding in self.findings)


def simulate(
    scenario: str | Path, policies: Collection[str] = (), seed: int | None = None, store: str | Path | None = None
) -> Simulations:
    """Run a scenario (a YAML file) on the simulated cluster and judge its claims.

    Policies and seed are the scenario's own by default; `store` is where the runs are to be recorded.
    """
    path = Path(scenario)
    variants = check_scenario(path, list(policies))  # whatever is wrong is refused before any run
    first = variants[0].scenario
    names, chosen = list(policies) or list(first.policies), first.seed if seed is None else seed
    results = run_each(path, variants, names, chosen, store)
    return Simulations(tuple(results), tuple(judge(first.expect, results)), chosen)


def run_each(
    path: Path,
    variants: Sequence[Variant],
    names: Collection[str],
    seed: int,
    store: str | Path | None,
    teller: Callable[[Variant, str, Sequence[RunResult]], Teller] = lambda variant, name, so_far: lambda now: None,
) -> list[RunResult]:
    """Every variant under every policy; `teller` is asked who is to be told of how far each is."""
    if seed < 0:
        raise ConfigError("seed", seed, "write 0 or more")
    if store is not None:
        check_writable(str(store), "store")  # not after minutes of simulation
    results: list[RunResult] = []
    for variant in variants:
        for name in names:
            with _store(store, variant, name) as kept:
                results.append(run_one(variant, name, path.parent, seed, teller(variant, name, results), kept))
    return results


@contextmanager
def _store(at: str | Path | None, variant: Variant, policy: str) -> Iterator[Store | None]:
    if at is None:
        yield None
        return
    store = open_store(at)
    name = f"{variant.scenario.name} {variant.label}".strip()
    store.begin(RunInfo(f"{name} {policy} {uuid4().hex[:6]}", name, policy, "simulator"))
    try:
        yield store
    finally:
        store.close()
