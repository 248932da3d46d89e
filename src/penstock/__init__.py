"""penstock gives each Spark streaming tenant its share: intents in, explained decisions out."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.analysis.stability import StabilitySettings
    from penstock.calls.advised import advise, queries
    from penstock.calls.beside import attachable, plugin_jar
    from penstock.calls.control import control, levers
    from penstock.calls.coordinated import coordinate
    from penstock.calls.drawn import draw_plan, draw_routing, draw_simulations
    from penstock.calls.files import check, intents, openslo, plan, tenants_schema
    from penstock.calls.loaded import load
    from penstock.calls.machines import (
        cluster_status,
        kafka_jars,
        kafka_status,
        kubernetes_status,
        start_cluster,
        start_kafka,
        start_kubernetes,
        start_yarn,
        stop_cluster,
        stop_kafka,
        stop_kubernetes,
        stop_yarn,
        yarn_status,
    )
    from penstock.calls.measured import profile, rehearse
    from penstock.calls.recorded import RunReport, diff, explain, incident, present, report
    from penstock.calls.served import Served, serve
    from penstock.calls.simulated import Simulations, simulate
    from penstock.calls.started import attach, demo, run
    from penstock.calls.submitted import SubmittedFile, Submitting, stop_submitted, submit, would_submit
    from penstock.calls.supervised import SupervisedRun, supervise
    from penstock.calls.tokens import new_agent_token, new_tokens
    from penstock.config.apart import ApplicationPart
    from penstock.core.acts import HeardAct
    from penstock.core.allocation import Allocation
    from penstock.core.batches import BatchFigures
    from penstock.core.budget import Budget, BudgetWindow, Burn, SpentBudget, WindowLook
    from penstock.core.capacity import operator_capacity
    from penstock.core.counterfactual import JobWithout, Untold, Without
    from penstock.core.cycle import Cycle
    from penstock.core.deeds import Deed
    from penstock.core.evidence import Observation
    from penstock.core.failures import FailureKind
    from penstock.core.figures import (
        JobFigures,
        LatencyFigures,
        MachineFigures,
        OperatorFigures,
        Snapshot,
        StageFigures,
    )
    from penstock.core.forecast import Forecast, Series
    from penstock.core.hours import Excluded, Hours
    from penstock.core.intents import Intent, Juice, Latency, Recovery, Score
    from penstock.core.juice import JuiceResult, juice
    from penstock.core.key_placement import KeyPlacement, KeysInPartition, KeysOnMachine
    from penstock.core.levers import (
        BatchBound,
        Dial,
        Disturbs,
        Executors,
        Memory,
        Move,
        Partitions,
        Shows,
        Slots,
        Table,
        Tasks,
        Trigger,
        thread_move,
    )
    from penstock.core.life import ControllerLife
    from penstock.core.lineage import LineageRun
    from penstock.core.orders import Act
    from penstock.core.outlook import JobOutlook, RecoveryForetold
    from penstock.core.pairs import PairCounts
    from penstock.core.performance import ModelPoint, PerformanceModel
    from penstock.core.placement import Machine, Placement, Prediction, Slot
    from penstock.core.plan import Decision, Effect, Outcome, Plan, Reason, Step, StepOutcome, Verdict
    from penstock.core.ports import Policy
    from penstock.core.prediction import Foretold, PredictionError
    from penstock.core.price import Price
    from penstock.core.recovery import RecoveryTime, recovery_time
    from penstock.core.routes import PastMove, RouteFigures
    from penstock.core.routing_table import KeyMove, RoutingTable
    from penstock.core.run import (
        DecisionRecord,
        HeldBack,
        JobTimeline,
        MachineTimeline,
        MostUtility,
        Note,
        Run,
        RunInfo,
    )
    from penstock.core.shapes import Shape
    from penstock.core.shares import Pool, Share
    from penstock.core.states import State, StateChange
    from penstock.core.topology import Topology
    from penstock.core.trial import Finished, Trial
    from penstock.core.view import JobView, View
    from penstock.correlation.sketch import PairSketch
    from penstock.deprecating import GoingWarning
    from penstock.engines.applications.cluster import Allowance, Cluster, Room, Worker
    from penstock.engines.applications.link import AgentTls
    from penstock.engines.kafka.broker import Broker
    from penstock.engines.kubernetes.cluster import StartedKubernetes
    from penstock.engines.processes import Process
    from penstock.engines.spark.fake import FakeSpark
    from penstock.engines.spark.fake.query import FakeQuery
    from penstock.engines.spark.history.events import LoggedApplication
    from penstock.engines.spark.history.replay import History
    from penstock.engines.spark.jvm.beside.door import DriverDoor
    from penstock.engines.spark.jvm.commit_offsets import OffsetCommits, commit_offsets
    from penstock.engines.spark.jvm.doctor import Diagnosis, SessionSetting, doctor
    from penstock.engines.spark.jvm.features import Feature
    from penstock.engines.spark.jvm.routing.keys import RoutedKey
    from penstock.engines.spark.measured import measured
    from penstock.engines.spark.pair_history import count_pairs
    from penstock.engines.spark.profiling.settings import TrialSettings
    from penstock.engines.spark.routing.route import Routing
    from penstock.engines.spark.standalone import StartedCluster
    from penstock.engines.yarn.cluster import Yarn
    from penstock.errors import ConfigError, PenstockError, PlacementError
    from penstock.extending import Extension, extensions
    from penstock.governing.comparison import PolicyTurn, TrialResult
    from penstock.governing.controller import Controller
    from penstock.governing.coordinated import Coordinated
    from penstock.governing.coordinating import Coordinator
    from penstock.governing.govern import govern
    from penstock.governing.rehearsal.state import Rehearsed
    from penstock.governing.story import RunStory
    from penstock.loading.keys import KeySettings
    from penstock.loading.report import LoadReport
    from penstock.notifying.happenings import Happening, HappeningKind
    from penstock.notifying.notifiers import Message, Notifier
    from penstock.planning.arbiter.settings import ArbiterSettings
    from penstock.planning.combined_settings import CombinedSettings
    from penstock.planning.executors.settings import ExecutorsSettings
    from penstock.planning.henge.settings import HengeSettings
    from penstock.planning.installed import PolicyEntry
    from penstock.planning.memory import MemoryMode
    from penstock.planning.phoebe.profiling import CopySearch
    from penstock.planning.phoebe.settings import PhoebeSettings
    from penstock.planning.profiling.settings import SearchSettings
    from penstock.planning.provision.acquire import acquire
    from penstock.planning.provision.allocate import allocate
    from penstock.planning.provision.place import place
    from penstock.planning.provision.replan import Replanned, replan
    from penstock.planning.provision.settings import DistanceWeights, PlaceSettings, Runtime
    from penstock.planning.registry import policies, policy_named
    from penstock.planning.routing.estimate import CostSettings
    from penstock.planning.routing.policy import RoutingMode, RoutingSettings
    from penstock.planning.routing.route import route
    from penstock.profiling.models_file import Profiled
    from penstock.profiling.profile import ProfileSettings, Progress
    from penstock.simulation.expect import Finding
    from penstock.simulation.routing.reading import read_pairs
    from penstock.simulation.run import RunResult
    from penstock.store.archive import Archive
    from penstock.web.samples import MetricSample, MetricSink
    from penstock.web.settings import Rate, WebSettings
    from penstock.web.shapes_simulated import RemediesOut, RemedyOut, TurnOut
    from penstock.whatif.from_log import Advice, SlotsTried, TenantAdvice, Went
    from penstock.whatif.remedies import Remedy, Tried

__all__ = [
    "Act",
    "Advice",
    "AgentTls",
    "Allocation",
    "Allowance",
    "ApplicationPart",
    "ArbiterSettings",
    "Archive",
    "BatchBound",
    "BatchFigures",
    "Broker",
    "Budget",
    "BudgetWindow",
    "Burn",
    "Cluster",
    "CombinedSettings",
    "ConfigError",
    "Controller",
    "ControllerLife",
    "Coordinated",
    "Coordinator",
    "CopySearch",
    "CostSettings",
    "Cycle",
    "Decision",
    "DecisionRecord",
    "Deed",
    "Diagnosis",
    "Dial",
    "DistanceWeights",
    "Disturbs",
    "DriverDoor",
    "Effect",
    "Excluded",
    "Executors",
    "ExecutorsSettings",
    "Extension",
    "FailureKind",
    "FakeQuery",
    "FakeSpark",
    "Feature",
    "Finding",
    "Finished",
    "Forecast",
    "Foretold",
    "GoingWarning",
    "Happening",
    "HappeningKind",
    "HeardAct",
    "HeldBack",
    "HengeSettings",
    "History",
    "Hours",
    "Intent",
    "JobFigures",
    "JobOutlook",
    "JobTimeline",
    "JobView",
    "JobWithout",
    "Juice",
    "JuiceResult",
    "KeyMove",
    "KeyPlacement",
    "KeySettings",
    "KeysInPartition",
    "KeysOnMachine",
    "Latency",
    "LatencyFigures",
    "LineageRun",
    "LoadReport",
    "LoggedApplication",
    "Machine",
    "MachineFigures",
    "MachineTimeline",
    "Memory",
    "MemoryMode",
    "Message",
    "MetricSample",
    "MetricSink",
    "ModelPoint",
    "MostUtility",
    "Move",
    "Note",
    "Notifier",
    "Observation",
    "OffsetCommits",
    "OperatorFigures",
    "Outcome",
    "PairCounts",
    "PairSketch",
    "Partitions",
    "PastMove",
    "PenstockError",
    "PerformanceModel",
    "PhoebeSettings",
    "PlaceSettings",
    "Placement",
    "PlacementError",
    "Plan",
    "Policy",
    "PolicyEntry",
    "PolicyTurn",
    "Pool",
    "Prediction",
    "PredictionError",
    "Price",
    "Process",
    "ProfileSettings",
    "Profiled",
    "Progress",
    "Rate",
    "Reason",
    "Recovery",
    "RecoveryForetold",
    "RecoveryTime",
    "Rehearsed",
    "RemediesOut",
    "Remedy",
    "RemedyOut",
    "Replanned",
    "Room",
    "RouteFigures",
    "RoutedKey",
    "Routing",
    "RoutingMode",
    "RoutingSettings",
    "RoutingTable",
    "Run",
    "RunInfo",
    "RunReport",
    "RunResult",
    "RunStory",
    "Runtime",
    "Score",
    "SearchSettings",
    "Series",
    "Served",
    "SessionSetting",
    "Shape",
    "Share",
    "Shows",
    "Simulations",
    "Slot",
    "Slots",
    "SlotsTried",
    "Snapshot",
    "SpentBudget",
    "StabilitySettings",
    "StageFigures",
    "StartedCluster",
    "StartedKubernetes",
    "State",
    "StateChange",
    "Step",
    "StepOutcome",
    "SubmittedFile",
    "Submitting",
    "SupervisedRun",
    "Table",
    "Tasks",
    "TenantAdvice",
    "Topology",
    "Trial",
    "TrialResult",
    "TrialSettings",
    "Tried",
    "Trigger",
    "TurnOut",
    "Untold",
    "Verdict",
    "View",
    "WebSettings",
    "Went",
    "WindowLook",
    "Without",
    "Worker",
    "Yarn",
    "acquire",
    "advise",
    "allocate",
    "attach",
    "attachable",
    "check",
    "cluster_status",
    "commit_offsets",
    "control",
    "coordinate",
    "count_pairs",
    "demo",
    "diff",
    "doctor",
    "draw_plan",
    "draw_routing",
    "draw_simulations",
    "explain",
    "extensions",
    "govern",
    "incident",
    "intents",
    "juice",
    "kafka_jars",
    "kafka_status",
    "kubernetes_status",
    "levers",
    "load",
    "measured",
    "new_agent_token",
    "new_tokens",
    "openslo",
    "operator_capacity",
    "place",
    "plan",
    "plugin_jar",
    "policies",
    "policy_named",
    "present",
    "profile",
    "queries",
    "read_pairs",
    "recovery_time",
    "rehearse",
    "replan",
    "report",
    "route",
    "run",
    "serve",
    "simulate",
    "start_cluster",
    "start_kafka",
    "start_kubernetes",
    "start_yarn",
    "stop_cluster",
    "stop_kafka",
    "stop_kubernetes",
    "stop_submitted",
    "stop_yarn",
    "submit",
    "supervise",
    "tenants_schema",
    "thread_move",
    "would_submit",
    "yarn_status",
]

# Where each name lives. It is imported when it is first asked for: pyspark, numpy and METIS take more than a second,
# and every command of the command line imports this package.
_HOMES = {
    "Act": "penstock.core.orders",
    "Advice": "penstock.whatif.from_log",
    "AgentTls": "penstock.engines.applications.link",
    "Allocation": "penstock.core.allocation",
    "Allowance": "penstock.engines.applications.cluster",
    "ApplicationPart": "penstock.config.apart",
    "ArbiterSettings": "penstock.planning.arbiter.settings",
    "Archive": "penstock.store.archive",
    "BatchBound": "penstock.core.levers",
    "BatchFigures": "penstock.core.batches",
    "Broker": "penstock.engines.kafka.broker",
    "Budget": "penstock.core.budget",
    "BudgetWindow": "penstock.core.budget",
    "Burn": "penstock.core.budget",
    "Cluster": "penstock.engines.applications.cluster",
    "CombinedSettings": "penstock.planning.combined_settings",
    "ConfigError": "penstock.errors",
    "Controller": "penstock.governing.controller",
    "ControllerLife": "penstock.core.life",
    "Coordinated": "penstock.governing.coordinated",
    "Coordinator": "penstock.governing.coordinating",
    "CopySearch": "penstock.planning.phoebe.profiling",
    "CostSettings": "penstock.planning.routing.estimate",
    "Cycle": "penstock.core.cycle",
    "Decision": "penstock.core.plan",
    "DecisionRecord": "penstock.core.run",
    "Deed": "penstock.core.deeds",
    "Diagnosis": "penstock.engines.spark.jvm.doctor",
    "Dial": "penstock.core.levers",
    "DistanceWeights": "penstock.planning.provision.settings",
    "Disturbs": "penstock.core.levers",
    "DriverDoor": "penstock.engines.spark.jvm.beside.door",
    "Effect": "penstock.core.plan",
    "Excluded": "penstock.core.hours",
    "Executors": "penstock.core.levers",
    "ExecutorsSettings": "penstock.planning.executors.settings",
    "Extension": "penstock.extending",
    "FailureKind": "penstock.core.failures",
    "FakeQuery": "penstock.engines.spark.fake.query",
    "FakeSpark": "penstock.engines.spark.fake",
    "Feature": "penstock.engines.spark.jvm.features",
    "Finding": "penstock.simulation.expect",
    "Finished": "penstock.core.trial",
    "Forecast": "penstock.core.forecast",
    "Foretold": "penstock.core.prediction",
    "GoingWarning": "penstock.deprecating",
    "Happening": "penstock.notifying.happenings",
    "HappeningKind": "penstock.notifying.happenings",
    "HeardAct": "penstock.core.acts",
    "HeldBack": "penstock.core.run",
    "HengeSettings": "penstock.planning.henge.settings",
    "History": "penstock.engines.spark.history.replay",
    "Hours": "penstock.core.hours",
    "Intent": "penstock.core.intents",
    "JobFigures": "penstock.core.figures",
    "JobOutlook": "penstock.core.outlook",
    "JobTimeline": "penstock.core.run",
    "JobView": "penstock.core.view",
    "JobWithout": "penstock.core.counterfactual",
    "Juice": "penstock.core.intents",
    "JuiceResult": "penstock.core.juice",
    "KeyMove": "penstock.core.routing_table",
    "KeyPlacement": "penstock.core.key_placement",
    "KeySettings": "penstock.loading.keys",
    "KeysInPartition": "penstock.core.key_placement",
    "KeysOnMachine": "penstock.core.key_placement",
    "Latency": "penstock.core.intents",
    "LatencyFigures": "penstock.core.figures",
    "LineageRun": "penstock.core.lineage",
    "LoadReport": "penstock.loading.report",
    "LoggedApplication": "penstock.engines.spark.history.events",
    "Machine": "penstock.core.placement",
    "MachineFigures": "penstock.core.figures",
    "MachineTimeline": "penstock.core.run",
    "Memory": "penstock.core.levers",
    "MemoryMode": "penstock.planning.memory",
    "Message": "penstock.notifying.notifiers",
    "MetricSample": "penstock.web.samples",
    "MetricSink": "penstock.web.samples",
    "ModelPoint": "penstock.core.performance",
    "MostUtility": "penstock.core.run",
    "Move": "penstock.core.levers",
    "Note": "penstock.core.run",
    "Notifier": "penstock.notifying.notifiers",
    "Observation": "penstock.core.evidence",
    "OffsetCommits": "penstock.engines.spark.jvm.commit_offsets",
    "OperatorFigures": "penstock.core.figures",
    "Outcome": "penstock.core.plan",
    "PairCounts": "penstock.core.pairs",
    "PairSketch": "penstock.correlation.sketch",
    "Partitions": "penstock.core.levers",
    "PastMove": "penstock.core.routes",
    "PenstockError": "penstock.errors",
    "PerformanceModel": "penstock.core.performance",
    "PhoebeSettings": "penstock.planning.phoebe.settings",
    "PlaceSettings": "penstock.planning.provision.settings",
    "Placement": "penstock.core.placement",
    "PlacementError": "penstock.errors",
    "Plan": "penstock.core.plan",
    "Policy": "penstock.core.ports",
    "PolicyEntry": "penstock.planning.installed",
    "PolicyTurn": "penstock.governing.comparison",
    "Pool": "penstock.core.shares",
    "Prediction": "penstock.core.placement",
    "PredictionError": "penstock.core.prediction",
    "Price": "penstock.core.price",
    "Process": "penstock.engines.processes",
    "ProfileSettings": "penstock.profiling.profile",
    "Profiled": "penstock.profiling.models_file",
    "Progress": "penstock.profiling.profile",
    "Rate": "penstock.web.settings",
    "Reason": "penstock.core.plan",
    "Recovery": "penstock.core.intents",
    "RecoveryForetold": "penstock.core.outlook",
    "RecoveryTime": "penstock.core.recovery",
    "Rehearsed": "penstock.governing.rehearsal.state",
    "RemediesOut": "penstock.web.shapes_simulated",
    "Remedy": "penstock.whatif.remedies",
    "RemedyOut": "penstock.web.shapes_simulated",
    "Replanned": "penstock.planning.provision.replan",
    "Room": "penstock.engines.applications.cluster",
    "RouteFigures": "penstock.core.routes",
    "RoutedKey": "penstock.engines.spark.jvm.routing.keys",
    "Routing": "penstock.engines.spark.routing.route",
    "RoutingMode": "penstock.planning.routing.policy",
    "RoutingSettings": "penstock.planning.routing.policy",
    "RoutingTable": "penstock.core.routing_table",
    "Run": "penstock.core.run",
    "RunInfo": "penstock.core.run",
    "RunReport": "penstock.calls.recorded",
    "RunResult": "penstock.simulation.run",
    "RunStory": "penstock.governing.story",
    "Runtime": "penstock.planning.provision.settings",
    "Score": "penstock.core.intents",
    "SearchSettings": "penstock.planning.profiling.settings",
    "Series": "penstock.core.forecast",
    "Served": "penstock.calls.served",
    "SessionSetting": "penstock.engines.spark.jvm.doctor",
    "Shape": "penstock.core.shapes",
    "Share": "penstock.core.shares",
    "Shows": "penstock.core.levers",
    "Simulations": "penstock.calls.simulated",
    "Slot": "penstock.core.placement",
    "Slots": "penstock.core.levers",
    "SlotsTried": "penstock.whatif.from_log",
    "Snapshot": "penstock.core.figures",
    "SpentBudget": "penstock.core.budget",
    "StabilitySettings": "penstock.analysis.stability",
    "StageFigures": "penstock.core.figures",
    "StartedCluster": "penstock.engines.spark.standalone",
    "StartedKubernetes": "penstock.engines.kubernetes.cluster",
    "State": "penstock.core.states",
    "StateChange": "penstock.core.states",
    "Step": "penstock.core.plan",
    "StepOutcome": "penstock.core.plan",
    "SubmittedFile": "penstock.calls.submitted",
    "Submitting": "penstock.calls.submitted",
    "SupervisedRun": "penstock.calls.supervised",
    "Table": "penstock.core.levers",
    "Tasks": "penstock.core.levers",
    "TenantAdvice": "penstock.whatif.from_log",
    "Topology": "penstock.core.topology",
    "Trial": "penstock.core.trial",
    "TrialResult": "penstock.governing.comparison",
    "TrialSettings": "penstock.engines.spark.profiling.settings",
    "Tried": "penstock.whatif.remedies",
    "Trigger": "penstock.core.levers",
    "TurnOut": "penstock.web.shapes_simulated",
    "Untold": "penstock.core.counterfactual",
    "Verdict": "penstock.core.plan",
    "View": "penstock.core.view",
    "WebSettings": "penstock.web.settings",
    "Went": "penstock.whatif.from_log",
    "WindowLook": "penstock.core.budget",
    "Without": "penstock.core.counterfactual",
    "Worker": "penstock.engines.applications.cluster",
    "Yarn": "penstock.engines.yarn.cluster",
    "acquire": "penstock.planning.provision.acquire",
    "advise": "penstock.calls.advised",
    "allocate": "penstock.planning.provision.allocate",
    "attach": "penstock.calls.started",
    "attachable": "penstock.calls.beside",
    "check": "penstock.calls.files",
    "cluster_status": "penstock.calls.machines",
    "commit_offsets": "penstock.engines.spark.jvm.commit_offsets",
    "control": "penstock.calls.control",
    "coordinate": "penstock.calls.coordinated",
    "count_pairs": "penstock.engines.spark.pair_history",
    "demo": "penstock.calls.started",
    "diff": "penstock.calls.recorded",
    "doctor": "penstock.engines.spark.jvm.doctor",
    "draw_plan": "penstock.calls.drawn",
    "draw_routing": "penstock.calls.drawn",
    "draw_simulations": "penstock.calls.drawn",
    "explain": "penstock.calls.recorded",
    "extensions": "penstock.extending",
    "govern": "penstock.governing.govern",
    "incident": "penstock.calls.recorded",
    "intents": "penstock.calls.files",
    "juice": "penstock.core.juice",
    "kafka_jars": "penstock.calls.machines",
    "kafka_status": "penstock.calls.machines",
    "kubernetes_status": "penstock.calls.machines",
    "levers": "penstock.calls.control",
    "load": "penstock.calls.loaded",
    "measured": "penstock.engines.spark.measured",
    "new_agent_token": "penstock.calls.tokens",
    "new_tokens": "penstock.calls.tokens",
    "openslo": "penstock.calls.files",
    "operator_capacity": "penstock.core.capacity",
    "place": "penstock.planning.provision.place",
    "plan": "penstock.calls.files",
    "plugin_jar": "penstock.calls.beside",
    "policies": "penstock.planning.registry",
    "policy_named": "penstock.planning.registry",
    "present": "penstock.calls.recorded",
    "profile": "penstock.calls.measured",
    "queries": "penstock.calls.advised",
    "read_pairs": "penstock.simulation.routing.reading",
    "recovery_time": "penstock.core.recovery",
    "rehearse": "penstock.calls.measured",
    "replan": "penstock.planning.provision.replan",
    "report": "penstock.calls.recorded",
    "route": "penstock.planning.routing.route",
    "run": "penstock.calls.started",
    "serve": "penstock.calls.served",
    "simulate": "penstock.calls.simulated",
    "start_cluster": "penstock.calls.machines",
    "start_kafka": "penstock.calls.machines",
    "start_kubernetes": "penstock.calls.machines",
    "start_yarn": "penstock.calls.machines",
    "stop_cluster": "penstock.calls.machines",
    "stop_kafka": "penstock.calls.machines",
    "stop_kubernetes": "penstock.calls.machines",
    "stop_submitted": "penstock.calls.submitted",
    "stop_yarn": "penstock.calls.machines",
    "submit": "penstock.calls.submitted",
    "supervise": "penstock.calls.supervised",
    "tenants_schema": "penstock.calls.files",
    "thread_move": "penstock.core.levers",
    "would_submit": "penstock.calls.submitted",
    "yarn_status": "penstock.calls.machines",
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
