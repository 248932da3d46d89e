"""penstock gives each Spark streaming tenant its share: intents in, explained decisions out."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.calls.advised import advise
    from penstock.calls.control import control, levers
    from penstock.calls.coordinated import coordinate
    from penstock.calls.files import check, intents, openslo, plan
    from penstock.calls.loaded import load
    from penstock.calls.machines import (
        cluster_status,
        kafka_jars,
        kafka_status,
        start_cluster,
        start_kafka,
        start_yarn,
        stop_cluster,
        stop_kafka,
        stop_yarn,
    )
    from penstock.calls.measured import profile, rehearse
    from penstock.calls.recorded import RunReport, diff, explain, incident, present, report
    from penstock.calls.served import serve
    from penstock.calls.simulated import Simulations, simulate
    from penstock.calls.started import attach, demo, run
    from penstock.calls.submitted import Submitting, stop_submitted, submit
    from penstock.core.budget import Budget
    from penstock.core.capacity import operator_capacity
    from penstock.core.hours import Excluded, Hours
    from penstock.core.intents import Intent, Juice, Latency, Recovery
    from penstock.core.juice import juice
    from penstock.core.levers import (
        BatchBound,
        Executors,
        Memory,
        Move,
        Partitions,
        Slots,
        Table,
        Tasks,
        Trigger,
        thread_move,
    )
    from penstock.core.performance import PerformanceModel
    from penstock.core.plan import Decision, Plan, Reason
    from penstock.core.ports import Policy
    from penstock.core.recovery import RecoveryTime, recovery_time
    from penstock.core.topology import Topology
    from penstock.core.view import JobView, View
    from penstock.correlation.sketch import PairSketch
    from penstock.deprecating import GoingWarning
    from penstock.engines.applications.cluster import Cluster, Room, Worker
    from penstock.engines.applications.link import AgentTls
    from penstock.engines.spark.fake import FakeSpark
    from penstock.engines.spark.jvm.commit_offsets import OffsetCommits, commit_offsets
    from penstock.engines.spark.jvm.doctor import doctor
    from penstock.engines.spark.measured import measured
    from penstock.engines.spark.pair_history import count_pairs
    from penstock.engines.spark.profiling.settings import TrialSettings
    from penstock.engines.spark.routing.route import Routing
    from penstock.errors import ConfigError, PenstockError, PlacementError
    from penstock.extending import Extension, extensions
    from penstock.governing.controller import Controller
    from penstock.governing.coordinated import Coordinated
    from penstock.governing.govern import govern
    from penstock.governing.story import RunStory
    from penstock.loading.keys import KeySettings
    from penstock.notifying.happenings import Happening, HappeningKind
    from penstock.notifying.notifiers import Message, Notifier
    from penstock.planning.arbiter.settings import ArbiterSettings
    from penstock.planning.combined_settings import CombinedSettings
    from penstock.planning.executors.settings import ExecutorsSettings
    from penstock.planning.henge.settings import HengeSettings
    from penstock.planning.installed import PolicyEntry
    from penstock.planning.phoebe.settings import PhoebeSettings
    from penstock.planning.provision.acquire import acquire
    from penstock.planning.provision.allocate import allocate
    from penstock.planning.provision.place import place
    from penstock.planning.registry import policies, policy_named
    from penstock.planning.routing.policy import RoutingSettings
    from penstock.planning.routing.route import route
    from penstock.profiling.profile import ProfileSettings
    from penstock.web.samples import MetricSample, MetricSink
    from penstock.web.settings import WebSettings

__all__ = [
    "AgentTls",
    "ArbiterSettings",
    "BatchBound",
    "Budget",
    "Cluster",
    "CombinedSettings",
    "ConfigError",
    "Controller",
    "Coordinated",
    "Decision",
    "Excluded",
    "Executors",
    "ExecutorsSettings",
    "Extension",
    "FakeSpark",
    "GoingWarning",
    "Happening",
    "HappeningKind",
    "HengeSettings",
    "Hours",
    "Intent",
    "JobView",
    "Juice",
    "KeySettings",
    "Latency",
    "Memory",
    "Message",
    "MetricSample",
    "MetricSink",
    "Move",
    "Notifier",
    "OffsetCommits",
    "PairSketch",
    "Partitions",
    "PenstockError",
    "PerformanceModel",
    "PhoebeSettings",
    "PlacementError",
    "Plan",
    "Policy",
    "PolicyEntry",
    "ProfileSettings",
    "Reason",
    "Recovery",
    "RecoveryTime",
    "Room",
    "Routing",
    "RoutingSettings",
    "RunReport",
    "RunStory",
    "Simulations",
    "Slots",
    "Submitting",
    "Table",
    "Tasks",
    "Topology",
    "TrialSettings",
    "Trigger",
    "View",
    "WebSettings",
    "Worker",
    "acquire",
    "advise",
    "allocate",
    "attach",
    "check",
    "cluster_status",
    "commit_offsets",
    "control",
    "coordinate",
    "count_pairs",
    "demo",
    "diff",
    "doctor",
    "explain",
    "extensions",
    "govern",
    "incident",
    "intents",
    "juice",
    "kafka_jars",
    "kafka_status",
    "levers",
    "load",
    "measured",
    "openslo",
    "operator_capacity",
    "place",
    "plan",
    "policies",
    "policy_named",
    "present",
    "profile",
    "recovery_time",
    "rehearse",
    "report",
    "route",
    "run",
    "serve",
    "simulate",
    "start_cluster",
    "start_kafka",
    "start_yarn",
    "stop_cluster",
    "stop_kafka",
    "stop_submitted",
    "stop_yarn",
    "submit",
    "thread_move",
]

# Where each name lives. It is imported when it is first asked for: pyspark, numpy and METIS take more than a second,
# and every command of the command line imports this package.
_HOMES = {
    "AgentTls": "penstock.engines.applications.link",
    "ArbiterSettings": "penstock.planning.arbiter.settings",
    "BatchBound": "penstock.core.levers",
    "Budget": "penstock.core.budget",
    "Cluster": "penstock.engines.applications.cluster",
    "CombinedSettings": "penstock.planning.combined_settings",
    "ConfigError": "penstock.errors",
    "Controller": "penstock.governing.controller",
    "Coordinated": "penstock.governing.coordinated",
    "Decision": "penstock.core.plan",
    "Excluded": "penstock.core.hours",
    "Executors": "penstock.core.levers",
    "ExecutorsSettings": "penstock.planning.executors.settings",
    "Extension": "penstock.extending",
    "FakeSpark": "penstock.engines.spark.fake",
    "GoingWarning": "penstock.deprecating",
    "Happening": "penstock.notifying.happenings",
    "HappeningKind": "penstock.notifying.happenings",
    "HengeSettings": "penstock.planning.henge.settings",
    "Hours": "penstock.core.hours",
    "Intent": "penstock.core.intents",
    "JobView": "penstock.core.view",
    "Juice": "penstock.core.intents",
    "KeySettings": "penstock.loading.keys",
    "Latency": "penstock.core.intents",
    "Memory": "penstock.core.levers",
    "Message": "penstock.notifying.notifiers",
    "MetricSample": "penstock.web.samples",
    "MetricSink": "penstock.web.samples",
    "Move": "penstock.core.levers",
    "Notifier": "penstock.notifying.notifiers",
    "OffsetCommits": "penstock.engines.spark.jvm.commit_offsets",
    "PairSketch": "penstock.correlation.sketch",
    "Partitions": "penstock.core.levers",
    "PenstockError": "penstock.errors",
    "PerformanceModel": "penstock.core.performance",
    "PhoebeSettings": "penstock.planning.phoebe.settings",
    "PlacementError": "penstock.errors",
    "Plan": "penstock.core.plan",
    "Policy": "penstock.core.ports",
    "PolicyEntry": "penstock.planning.installed",
    "ProfileSettings": "penstock.profiling.profile",
    "Reason": "penstock.core.plan",
    "Recovery": "penstock.core.intents",
    "RecoveryTime": "penstock.core.recovery",
    "Room": "penstock.engines.applications.cluster",
    "Routing": "penstock.engines.spark.routing.route",
    "RoutingSettings": "penstock.planning.routing.policy",
    "RunReport": "penstock.calls.recorded",
    "RunStory": "penstock.governing.story",
    "Simulations": "penstock.calls.simulated",
    "Slots": "penstock.core.levers",
    "Submitting": "penstock.calls.submitted",
    "Table": "penstock.core.levers",
    "Tasks": "penstock.core.levers",
    "Topology": "penstock.core.topology",
    "TrialSettings": "penstock.engines.spark.profiling.settings",
    "Trigger": "penstock.core.levers",
    "View": "penstock.core.view",
    "WebSettings": "penstock.web.settings",
    "Worker": "penstock.engines.applications.cluster",
    "acquire": "penstock.planning.provision.acquire",
    "advise": "penstock.calls.advised",
    "allocate": "penstock.planning.provision.allocate",
    "attach": "penstock.calls.started",
    "check": "penstock.calls.files",
    "cluster_status": "penstock.calls.machines",
    "commit_offsets": "penstock.engines.spark.jvm.commit_offsets",
    "control": "penstock.calls.control",
    "coordinate": "penstock.calls.coordinated",
    "count_pairs": "penstock.engines.spark.pair_history",
    "demo": "penstock.calls.started",
    "diff": "penstock.calls.recorded",
    "doctor": "penstock.engines.spark.jvm.doctor",
    "explain": "penstock.calls.recorded",
    "extensions": "penstock.extending",
    "govern": "penstock.governing.govern",
    "incident": "penstock.calls.recorded",
    "intents": "penstock.calls.files",
    "juice": "penstock.core.juice",
    "kafka_jars": "penstock.calls.machines",
    "kafka_status": "penstock.calls.machines",
    "levers": "penstock.calls.control",
    "load": "penstock.calls.loaded",
    "measured": "penstock.engines.spark.measured",
    "openslo": "penstock.calls.files",
    "operator_capacity": "penstock.core.capacity",
    "place": "penstock.planning.provision.place",
    "plan": "penstock.calls.files",
    "policies": "penstock.planning.registry",
    "policy_named": "penstock.planning.registry",
    "present": "penstock.calls.recorded",
    "profile": "penstock.calls.measured",
    "recovery_time": "penstock.core.recovery",
    "rehearse": "penstock.calls.measured",
    "report": "penstock.calls.recorded",
    "route": "penstock.planning.routing.route",
    "run": "penstock.calls.started",
    "serve": "penstock.calls.served",
    "simulate": "penstock.calls.simulated",
    "start_cluster": "penstock.calls.machines",
    "start_kafka": "penstock.calls.machines",
    "start_yarn": "penstock.calls.machines",
    "stop_cluster": "penstock.calls.machines",
    "stop_kafka": "penstock.calls.machines",
    "stop_submitted": "penstock.calls.submitted",
    "stop_yarn": "penstock.calls.machines",
    "submit": "penstock.calls.submitted",
    "thread_move": "penstock.core.levers",
}

# Names that are to go, each with the public name to write instead and the version that does not have it any more.
_GOING: dict[str, tuple[str, str]] = {}

if not TYPE_CHECKING:  # to a type checker every other name would be there as well

    def __getattr__(name: str) -> object:
        import importlib

        if name in _GOING:
            instead, gone_in = _GOING[name]
            warn = importlib.import_module("penstock.deprecating").going
            warn(f"penstock.{name}", f"write penstock.{instead}", gone_in)
            name = instead
        if name not in _HOMES:
            raise AttributeError(f"module 'penstock' has no attribute {name!r}")
        found = globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING"})
