"""What the command line does, in one call each: the same answers, nothing printed, mistakes as errors."""

import json
import socket
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import yaml

import penstock as ps
from penstock.engines.applications.link import Link
from penstock.engines.applications.wire import Report, encode_report
from penstock.web.agents_door import agent_tokens
from penstock.web.tokens import tokens_at
from tests.cli.calling import penstock
from tests.controlled import controlled, recorded
from tests.engines.spark.beside import doors
from tests.harness.ports import own_port
from tests.patience import eventually
from tests.recorded import RUN
from tests.simulation.small import scenario, written
from tests.web.certificates import Authority
from tests.web.keda.protocol import keda_at, refused_or

JOBS = [
    {"name": "ads", "job": "os:getcwd", "intent": {"latency": "2s", "percentile": 95, "utility": 35}},
    {"name": "fraud", "job": "os:getcwd", "intent": {"juice": 0.9}},
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return recorded(tmp_path)


@pytest.fixture(autouse=True)
def nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert capsys.readouterr().out == ""


def tenants(place: Path, **more: object) -> Path:
    file = place / "tenants.yaml"
    file.write_text(yaml.safe_dump({"name": "shop", "master": "local[4]", "jobs": JOBS, **more}))
    return file


def test_a_file_is_checked_as_by_the_command(tmp_path: Path) -> None:
    file = tenants(tmp_path)
    assert ps.check(file, modules=False) == "2 jobs (ads, fraud) under penstock at local[4]"
    with pytest.raises(ps.ConfigError, match="did you mean policy"):
        ps.check(tenants(tmp_path, polcy="henge"), modules=False)
    with pytest.raises(ps.ConfigError, match="did you mean policy"):
        ps.run(tenants(tmp_path, polcy="henge"))


def test_intents_are_read_from_a_tenants_file_and_from_openslo(tmp_path: Path) -> None:
    file = tenants(tmp_path)
    wanted = ps.intents(file)
    assert wanted == {
        "ads": ps.Intent(ps.Latency("2s", percentile=95, utility=35)),
        "fraud": ps.Intent(ps.Juice(0.9)),
    }
    slos = tmp_path / "slos.yaml"
    slos.write_text(yaml.safe_dump_all(ps.openslo(file, run="shop")))
    assert ps.intents(slos) == wanted


def test_a_plan_is_that_of_the_command(tmp_path: Path) -> None:
    planned = json.loads(penstock("plan", "grid", "--rate", "100", "--json", "-").stdout)
    placement = ps.plan("grid", 100.0)
    assert (placement.slots_used, placement.prediction.rate_rps) == (planned["slots_used"], planned["predicted_rate"])
    assert len(ps.plan("linear", 50.0, machines=[4, 4]).machines) == 2
    with pytest.raises(ps.ConfigError, match="runtime: 'sprak' cannot be used; choose one of"):
        ps.plan("linear", runtime="sprak")


def test_a_plan_is_changed_and_drawn(tmp_path: Path) -> None:
    placement = ps.plan("linear", 50.0)
    changed = ps.replan(placement, 100.0)
    assert sum(changed.started.values()) > 0
    ps.draw_plan(changed.placement, tmp_path / "plan.png", "linear at 100 rows/s")
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ps.ConfigError, match="give a PNG file that can be written"):
        ps.draw_plan(placement, tmp_path / "nowhere" / "plan.png")


def test_pairs_are_read_routed_and_drawn_as_by_the_command(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("left,right\nAsia,#java\nAsia,#ruby\nOceania,#python\n")
    told = json.loads(penstock("route", str(pairs), "--servers", "2", "--json", "-").stdout)
    counts = ps.read_pairs(pairs, "left", "right")
    table = ps.route(counts, servers=2)
    assert table.locality == told["locality"]
    ps.draw_routing(table, counts, tmp_path / "table.png")
    assert (tmp_path / "table.png").read_bytes().startswith(b"\x89PNG")


def test_a_scenario_is_simulated_and_judged(tmp_path: Path) -> None:
    claim = {"claim": "all is well", "metric": "utility_mean", "policy": "static", "at_least": 0.9}
    done = ps.simulate(written(tmp_path, scenario(expect=[claim])), ["static"], seed=7, store=tmp_path / "runs.sqlite")
    assert (done.as_declared, done.seed, [result.policy for result in done.results]) == (True, 7, ["static"])
    assert ps.report("last", tmp_path / "runs.sqlite").run.info.policy == "static"
    ps.draw_simulations(done, tmp_path / "done.png")
    assert (tmp_path / "done.png").read_bytes().startswith(b"\x89PNG")


def test_a_recorded_run_is_explained_summed_up_and_compared(path: Path) -> None:
    told = json.loads(penstock("report", "last", "--store", str(path), "--json", "-").stdout)
    found = ps.report(RUN.id, path)
    assert found.document()["utility_share"] == told["utility_share"]
    assert found.html().startswith("<!doctype html>")
    assert "ads misses its latency" in ps.explain(store=path)
    assert ps.explain(str(path)) == ps.explain(store=path)
    assert ps.incident("ads", store=path, until_s=20.0).startswith("ads, ")
    assert ps.diff(RUN.id, store=path)["a"]["run"]["id"] == RUN.id
    assert ps.present(store=path)["run"]["id"] == RUN.id
    with pytest.raises(ps.PenstockError, match="none-of-it"):
        ps.explain("none-of-it", path)


def test_a_running_controller_is_asked_and_heard(path: Path) -> None:
    with controlled(path) as store:
        assert ps.control("pause", store=path) == RUN.id
        ps.control("intent", "ads", latency="3s", percentile=95, store=path)
        ps.control("turn", "fraud", lever="tasks", operator="map", value=5, store=path)
        acts = [(entry.act, entry.detail, entry.who.endswith("(Python)")) for entry in store.audit(RUN.id)]
    assert [act for act, _, _ in acts] == ["pause", "intent", "turn"]
    assert acts[1] == ("intent", "ads: p95 latency <= 3s", True)
    assert {dial.kind for dial in ps.levers(store=path)} == {"tasks"}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"act": "puase"}, "act: 'puase' cannot be used; choose one of .* did you mean pause"),
        ({"act": "approve"}, "say which proposal"),
        ({"act": "intent", "job": "ads", "latncy": "2s"}, "did you mean latency"),
    ],
)
def test_what_makes_no_sense_is_refused(path: Path, asked: dict[str, str], told: str) -> None:
    with pytest.raises(ps.ConfigError, match=told):
        ps.control(**asked, store=path)  # type: ignore[arg-type]


def test_a_file_of_tenants_is_not_submitted_to_this_machine_nor_attached_to_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with pytest.raises(ps.ConfigError, match="write spark://host:port"):
        ps.submit(tenants(tmp_path))
    jobs = [{**job, "job": "tests.governing.tenant_jobs:broken"} for job in JOBS]
    away = {"master": "spark://127.0.0.1:9", "checkpoints": str(tmp_path), "executors": 4}
    to_a_cluster = tenants(tmp_path, jobs=jobs, **away)
    would = ps.would_submit(to_a_cluster, ps.Submitting(restart=False))
    told = penstock("submit", str(to_a_cluster), "--dry-run", "--no-restart").stdout
    assert [f"penstock run {' '.join(words)}" for words in would.commands] == told.splitlines()
    with pytest.raises(ps.PenstockError):
        ps.attach(tenants(tmp_path))
    with pytest.raises(ps.ConfigError, match=r"history|nowhere"):
        ps.advise(tmp_path / "nowhere", tenants(tmp_path))


@pytest.mark.sockets
def test_pages_are_served_while_a_block_lasts(path: Path, tmp_path: Path) -> None:
    lines = tmp_path / "figures.jsonl"
    with ps.serve(path, port=0, sinks=(f"lines:{lines}",)) as site:
        eventually(lambda: lines.read_text().count("penstock_utility"))
        answer = urllib.request.urlopen(f"{site.url}api/runs")
        assert json.load(answer)[0]["id"] == RUN.id
        answer.close()
    with pytest.raises(OSError):
        urllib.request.urlopen(f"{site.url}api/runs")


@pytest.mark.sockets
def test_a_scenario_is_lived_through_while_pages_are_served(tmp_path: Path) -> None:
    store, file = tmp_path / "runs.sqlite", written(tmp_path, scenario())
    with ps.serve(store, port=0, scenario=file, policy="static", speed=60.0) as site:
        eventually(lambda: recorded_at(site.url)[0]["policy"] == "static")
    with (
        pytest.raises(ps.ConfigError, match="approval: 'b' cannot be used; choose one of a"),
        ps.serve(store, port=0, scenario=file, approval=["b"]),
    ):
        pass


def recorded_at(site: str) -> list[dict[str, object]]:
    """The runs that a site shows; a run that is not there yet is none."""
    with urllib.request.urlopen(f"{site}api/runs") as answer:
        runs: list[dict[str, object]] = json.load(answer)
    return runs


@pytest.mark.sockets
def test_a_coordinator_that_is_to_ask_agents_for_certificates_has_one_itself(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(yaml.safe_dump({"name": "prod", "cluster": {"cores": 8}}))
    how = {"store": str(tmp_path / "runs.sqlite"), "tokens": tmp_path / "tokens.json", "agents_ca": file}
    with pytest.raises(ps.ConfigError, match="--agents-ca"), ps.coordinate(file, **how):  # type: ignore[arg-type]
        pass


@pytest.mark.sockets
def test_a_coordinator_leads_while_a_block_lasts(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(yaml.safe_dump({"name": "prod", "cluster": {"cores": 8}, "lease": "3s"}))
    said: list[str] = []
    how = {"store": str(tmp_path / "runs.sqlite"), "tokens": tmp_path / "tokens.json", "port": 0}
    with ps.coordinate(file, say=said.append, **how) as coordinator:  # type: ignore[arg-type]
        eventually(lambda: coordinator.leads)
    assert not coordinator.leads
    assert said[0].startswith("leads prod in epoch ")


@pytest.mark.sockets
def test_keda_is_answered_where_a_coordinator_leads_and_not_where_it_only_advises(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(yaml.safe_dump({"name": "prod", "cluster": {"cores": 8}, "interval": "300ms", "report": "100ms"}))
    said: list[str] = []
    how = {"store": str(tmp_path / "runs.sqlite"), "tokens": tmp_path / "tokens.json", "port": 0}
    with ps.coordinate(file, keda=0, say=said.append, **how):  # type: ignore[arg-type]
        at = next(line for line in said if line.startswith("KEDA is answered at ")).split()[4].rstrip(",")
        with keda_at(at) as keda:
            eventually(lambda: refused_or(lambda: keda.value(fleet="prod")) == 0.0)
    with (
        pytest.raises(ps.ConfigError, match="keda: 0 cannot be used; leave it out with --advise"),
        ps.coordinate(file, advise=True, keda=0, **how),  # type: ignore[arg-type]
    ):
        pass
    with ps.coordinate(file, advise=True, say=said.append, **how):  # type: ignore[arg-type]
        pass
    assert said[-1].startswith("advice: ")


@pytest.mark.sockets
def test_agents_come_over_tls_and_show_a_certificate_where_the_call_asks_for_it(tmp_path: Path) -> None:
    file, tokens, authority = tmp_path / "fleet.yaml", tmp_path / "tokens.json", Authority.made(tmp_path / "ours")
    file.write_text(yaml.safe_dump({"name": "prod", "cluster": {"cores": 8}, "lease": "3s"}))
    port, token = own_port(), ps.new_agent_token("fraud", tokens)
    certificate, key = authority.signed("coordinator")
    how = {"store": str(tmp_path / "runs.sqlite"), "tokens": tokens, "port": port, "agents_ca": authority.certificate}
    report = encode_report(Report("fraud", "i-1", 1, {}))
    with ps.coordinate(file, tls_certificate=certificate, tls_key=key, **how) as coordinator:  # type: ignore[arg-type]
        eventually(lambda: coordinator.leads)
        url, shown = f"https://127.0.0.1:{port}", ps.AgentTls(authority.certificate, *authority.signed("fraud"))
        # It is heard, and what it lacks is said.
        with closing(Link([url], token, tls=shown)) as link, pytest.raises(ps.PenstockError, match="executors: Field"):
            link.say(report)
        with (
            closing(Link([url], token, tls=ps.AgentTls(authority.certificate))) as link,
            pytest.raises(ps.PenstockError, match="no coordinator answers"),
        ):
            link.say(report)


def test_drivers_that_let_a_penstock_in_are_listed_and_the_plugin_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert list(ps.attachable()) == []
    place = tmp_path / "penstock" / "attach"
    place.mkdir(parents=True)
    doors.written(place, "local-1")
    assert [door.application for door in ps.attachable()] == ["local-1"]
    assert zipfile.is_zipfile(ps.plugin_jar())


def test_new_tokens_count_alone_and_only_their_hashes_are_kept(tmp_path: Path) -> None:
    pages, agents = tmp_path / "pages.json", tmp_path / "agents.json"
    before, (read, operate) = ps.new_tokens(pages), ps.new_tokens(pages)
    counts, _ = tokens_at(pages, make=False)
    assert [counts.role_of(token) for token in (read, operate, before[0])] == ["read", "operate", "none"]
    token = ps.new_agent_token("team-a/*", agents)
    assert list(agent_tokens(agents).patterns.values()) == ["team-a/*"]
    assert token not in agents.read_text()


def test_a_tenants_file_has_a_schema_and_executors_that_are_too_few_are_refused_as_by_the_command(
    tmp_path: Path,
) -> None:
    assert ps.tenants_schema() == json.loads(penstock("check", "--schema").stdout)
    jobs = {"jobs": [{**job, "job": "tests.governing.tenant_jobs:broken"} for job in JOBS]}
    with pytest.raises(ps.ConfigError, match="executors: 1 cannot be used; write at least one for each job: 2"):
        ps.run(tenants(tmp_path, master="spark://127.0.0.1:9", executors=4, **jobs), executors=1)


def test_policies_and_extensions_are_listed() -> None:
    assert ps.policies()["henge"].about
    assert all(one.package for one in ps.extensions())


@pytest.mark.sockets
def test_a_coordinator_that_is_refused_keeps_no_port(tmp_path: Path) -> None:
    file, port = tmp_path / "fleet.yaml", own_port()
    file.write_text(yaml.safe_dump({"name": "prod", "cluster": {"cores": 8}, "lease": "3s"}))
    how = {"store": str(tmp_path / "runs.sqlite"), "tokens": tmp_path / "tokens.json", "port": port}
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused = []  # kept, and what it holds with it, as a notebook keeps the last error
        for _ in range(2):
            with (
                pytest.raises(ps.ConfigError, match="--keda") as found,
                ps.coordinate(file, keda=taken.getsockname()[1], **how),  # type: ignore[arg-type]
            ):
                pass
            refused.append(found.value)
