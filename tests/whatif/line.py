"""A line of operators that is simulated, and what would be seen of it at some time."""

from pathlib import Path

from penstock.analysis.assess import assess
from penstock.config.problems import checked
from penstock.core.seen.view import View
from penstock.simulation.jobs import intents_of
from penstock.simulation.run import cluster_of
from penstock.simulation.schema import ScenarioFile

NO_LIMIT_S = 600.0
LINE = {
    "name": "line",
    "duration": "10m",
    "cluster": {"machines": 2, "cores": 4},
    "topologies": {"line": {"flow": {"source": ["work"], "work": ["sink"]}, "operators": {"work": {"cpu": "4ms"}}}},
    "jobs": [{"name": "ads", "topology": "line", "rate": 400, "intent": {"latency": "1s", "utility": 10}}],
}


def present(raw: object, at_s: float) -> View:
    """What would be seen of a scenario at that time."""
    scenario = checked(ScenarioFile, raw, "scenario")
    cluster = cluster_of(scenario, Path(), 1, "static")
    cluster.advance_to(at_s)
    return assess(cluster.observe(at_s), intents_of(scenario))
