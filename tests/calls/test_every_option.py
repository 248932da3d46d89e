"""Every option of the command line is a parameter of a call, or only draws, prints or asks in a terminal's way."""

import inspect
from collections.abc import Iterator, Mapping

import click
import pytest

import penstock as ps
from penstock.cli.lazy_command import LazyCommand
from penstock.cli.main import cli

PRINTS = "prints"  # as JSON, as a story, in another place, once or again and again: what a call returns is printed so

# `call.parameter`, or `call` where its result or its own name says it.
WEB: Mapping[str, str] = {
    "--dashboard": "serve",
    "--host": "WebSettings.host",
    "--port": "WebSettings.port",
    "--allow-host": "WebSettings.allowed_hosts",
    "--proxy": "WebSettings.proxies",
    "--tokens": "WebSettings.tokens",
    "--tls-certificate": "WebSettings.tls_certificate",
    "--tls-key": "WebSettings.tls_key",
}
TLS: Mapping[str, str] = {
    "--coordinator-ca": "AgentTls.authority",
    "--coordinator-certificate": "AgentTls.certificate",
    "--coordinator-key": "AgentTls.key",
}
RUN: Mapping[str, str] = {
    "--policy": "run.policy",
    "--for": "run.for_s",
    "--dry-run": "run.dry_run",
    "--master": "run.master",
    "--only": "run.only",
    "--executors": "run.executors",
    "--restart": "supervise",
    "--standby": "supervise.standby",
    "--watch": "run.watch",
    "--heartbeat": "run.heartbeat",
    "--coordinator": "run.coordinator",
    "--notify": "run.notify",
    "--store": "run.store",
    "--json": PRINTS,
    **TLS,
    **WEB,
}
CONTROL: Mapping[str, str] = {"--run": "control.run", "--store": "control.store"}
STATE: Mapping[str, str] = {"--state": "start_cluster.state"}
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "advise": {
        "--history": "advise.history",
        "--minutes": "advise.minutes",
        "--within": "advise.within_s",
        "--json": PRINTS,
    },
    "attach": {
        "--tenants": "attach.tenants",
        "--policy": "attach.policy",
        "--for": "attach.for_s",
        "--dry-run": "attach.dry_run",
        "--list": "attachable",
        "--jar": "plugin_jar",
        "--notify": "attach.notify",
        "--store": "attach.store",
        "--json": PRINTS,
        **WEB,
    },
    "check": {
        "--policy": "check.policy",
        "--master": "check.master",
        "--no-modules": "check.modules",
        "--schema": "tenants_schema",
    },
    "cluster up": {
        "--workers": "start_cluster.workers",
        "--hosts": "start_cluster.bandwidth",
        "--bandwidth": "start_cluster.bandwidth",
        "--cores": "start_cluster.cores",
        "--memory": "start_cluster.memory",
        "--port": "start_cluster.port",
        "--queues": "start_yarn.queues",
        "--open": "start_cluster.closed",
        "--yarn": "start_yarn",
        "--kubernetes": "start_kubernetes",
        **STATE,
    },
    "cluster status": {"--yarn": "yarn_status", "--kubernetes": "kubernetes_status", **STATE},
    "cluster down": {"--yarn": "stop_yarn", "--kubernetes": "stop_kubernetes", **STATE},
    "completion": {},
    "coordinate": {
        "--policy": "coordinate.policy",
        "--advise": "coordinate.advise",
        "--new-token": "new_agent_token",
        "--agents-host": "coordinate.host",
        "--agents-port": "coordinate.port",
        "--agent-tokens": "coordinate.tokens",
        "--agents-ca": "coordinate.agents_ca",
        "--keda": "coordinate.keda",
        "--keda-host": "coordinate.keda_host",
        "--store": "coordinate.store",
        **WEB,
    },
    "demo": {"--html": "RunReport.html", "--serve": "serve", "--store": "demo.store"},
    "diff": {"--store": "diff.store", "--json": PRINTS},
    "doctor": {"--master": "doctor.spark", "--conf": "doctor.spark", "--json": PRINTS},
    "explain": {"--without": "explain.without", "--store": "explain.store", "--json": PRINTS},
    "extensions": {"--json": PRINTS},
    "intents": {"--openslo": "openslo", "--run": "openslo.run", "--json": PRINTS},
    "kafka up": {
        "--port": "start_kafka.port",
        "--partitions": "start_kafka.partitions",
        "--state": "start_kafka.state",
    },
    "kafka status": {"--state": "kafka_status.state"},
    "kafka down": {"--state": "stop_kafka.state"},
    "kafka jars": {},
    "load": {
        "--bootstrap": "load.bootstrap",
        "--topic": "load.topic",
        "--partitions": "load.partitions",
        "--rate": "load.rate",
        "--for": "load.for_s",
        **dict.fromkeys(("--spike", "--sine", "--trace", "--trace-step", "--speed"), "load.rate"),  # an array of rates
        "--keys": "KeySettings.keys",
        "--zipf": "KeySettings.zipf",
        "--pairs": "KeySettings.pairs",
        "--agreement": "KeySettings.agreement",
        "--rows": "load.rows",
        "--linger": "load.linger",
        "--seed": "load.seed",
        "--start-ms": "load.start_ms",
        "--json": PRINTS,
    },
    "plan": {
        "--rate": "plan.rate_rps",
        "--allocate": "plan.allocation",
        "--place": "plan.mapping",
        "--routing": "plan.routing",
        "--runtime": "plan.runtime",
        "--machines": "plan.machines",
        "--models": "plan.models",
        "--from": "replan.before",
        "--compare": PRINTS,  # five calls of `plan`
        "--plot": "draw_plan",
        "--json": PRINTS,
    },
    "policies": {"--json": PRINTS},
    "profile": {
        "--scaleouts": "rehearse.scaleouts",
        "--record": "rehearse.record",
        "--step-rate": "rehearse.step_rps",
        "--settle": "rehearse.settle",
        "--measure": "rehearse.measure",
        "--most-rounds": "rehearse.most_rounds",
        "--master": "rehearse.master",
        "--store": "rehearse.store",
        "--search": "ProfileSettings.method",
        "--length": "TrialSettings.length_s",
        "--warm-up": "TrialSettings.warm_up_s",
        "--max-slope": "StabilitySettings.max_slope",
        "--max-threads": "SearchSettings.max_threads",
        "--thread-growth": "SearchSettings.thread_growth",
        "--first-rate": "SearchSettings.first_rate_rps",
        "--rate-growth": "SearchSettings.rate_growth",
        "--max-rate": "SearchSettings.max_rate_rps",
        "--tolerance": "SearchSettings.tolerance",
        "--slot-memory": "TrialSettings.slot_memory_mb",
        "--out": "profile.out",
        "--max-others": "ProfileSettings.max_others",
        "--fresh": "profile.fresh",
        "--json": PRINTS,
    },
    "report": {
        "--html": "RunReport.html",
        "--incident": "incident",
        "--tenant": "incident.tenant",
        "--from": "incident.since_s",
        "--to": "incident.until_s",
        "--without": "report.without",
        "--nine": "report.nine",
        "--store": "report.store",
        "--json": PRINTS,
    },
    "route": {
        "--servers": "route.servers",
        "--method": "route.method",
        "--imbalance": "route.imbalance",
        "--racks": "route.racks",
        "--left": "read_pairs.left",
        "--right": "read_pairs.right",
        "--most-lines": "read_pairs.most_lines",
        "--plot": "draw_routing",
        "--json": PRINTS,
    },
    "run": RUN,
    "serve": {
        "--scenario": "serve.scenario",
        "--policy": "serve.policy",
        "--speed": "serve.speed",
        "--approval": "serve.approval",
        "--otlp": "serve.sinks",
        "--sink": "serve.sinks",
        "--new-tokens": "new_tokens",
        "--store": "serve.store",
        **{option: call for option, call in WEB.items() if option != "--dashboard"},
    },
    "simulate": {
        "--policy": "simulate.policies",
        "--seed": "simulate.seed",
        "--store": "simulate.store",
        "--html": "RunReport.html",
        "--story": "explain",
        "--plot": "draw_simulations",
        "--json": PRINTS,
    },
    "submit": {
        "--master": "Submitting.master",
        "--coordinator": "Submitting.coordinator",
        "--policy": "Submitting.policy",
        "--for": "Submitting.for_",
        "--restart": "Submitting.restart",
        "--standby": "Submitting.standby",
        "--logs": "Submitting.logs",
        "--deploy-mode": "Submitting.deploy_mode",
        "--dry-run": "would_submit",
        "--stop": "stop_submitted",
        "--store": "Submitting.store",
        **TLS,
    },
    "top": {"--run": "present.run", "--store": "present.store", "--every": PRINTS, "--once": PRINTS, "--json": PRINTS},
}
ACTS: Mapping[str, Mapping[str, str]] = {
    "control intent": {
        **dict.fromkeys(("--latency", "--percentile", "--juice", "--recovery", "--utility"), "control.intent"),
        **CONTROL,
    },
    "control levers": {"--run": "levers.run", "--store": "levers.store"},
    "control show": {"--run": "present.run", "--store": "present.store", "--json": PRINTS},
}


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Each command by all its words."""
    for name, waiting in group.commands.items():
        command = waiting.awaited() if isinstance(waiting, LazyCommand) else waiting
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


COMMANDS = dict(commands(cli))


def mapped(name: str) -> Mapping[str, str]:
    """Where each option of a command is; acts of `control` are words of one call."""
    return ACTS.get(name, CONTROL) if name.startswith("control ") else OPTIONS[name]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_of_a_command_is_a_parameter_of_a_call(name: str) -> None:
    shown = [option for option in COMMANDS[name].params if isinstance(option, click.Option) and not option.hidden]
    assert sorted(max(option.opts, key=len) for option in shown) == sorted(mapped(name))


@pytest.mark.parametrize("call", sorted({call for name in COMMANDS for call in mapped(name).values()} - {PRINTS}))
def test_the_parameter_is_there_and_public(call: str) -> None:
    name, _, parameter = call.partition(".")
    assert name in ps.__all__
    what = getattr(ps, name)
    assert not parameter or parameter in inspect.signature(what).parameters or hasattr(what, parameter)
