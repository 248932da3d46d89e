"""KEDA's external scaler over real gRPC: a coordinator with simulated applications, asked by a client on loopback."""

import socket
import subprocess
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import grpc
import pytest
from fleet_world import held, of_one

from penstock.engines.applications.wishes import ExecutorWish, Wishes
from penstock.errors import ConfigError, OutageError
from penstock.web.agents_door import AgentTokens, agent_tokens, new_agent_token
from penstock.web.keda.door import KedaDoor, KedaSettings
from tests.cli.calling import command, environment, penstock
from tests.governing.fleet_site import Site, site
from tests.harness.ports import own_port
from tests.patience import eventually, patience_s
from tests.web.keda.protocol import Keda, keda_at, refused_or

__all__ = ["site"]

pytestmark = pytest.mark.sockets

SHAKES_HANDS = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))  # with no settings
FRAUD = ExecutorWish("team-a/fraud", ("team-a/fraud",), wanted=3, needed=3, cores=1, silent_s=0.0)


def asked(site: Site, number: int = 0) -> Keda:
    """KEDA, of the coordinator of that number."""
    coordinator = site.coordinators[number]
    door = KedaDoor(coordinator.wishes, lambda: coordinator.leads, lambda: AgentTokens({}))
    site.stack.enter_context(door.open())
    return site.stack.enter_context(keda_at(door.address))


def refused(call: Callable[[], object]) -> tuple[grpc.StatusCode, str]:
    """The status and the words of what is no answer."""
    with pytest.raises(grpc.RpcError) as error:
        call()
    return error.value.code(), error.value.details()


def test_the_metric_is_what_the_coordinator_wants_and_follows_its_decisions(site: Site) -> None:
    door = site.begin()
    clicks, fraud = of_one("clicks", site.cluster, 150.0, wanted=5), of_one("fraud", site.cluster, 380.0)
    for one in (clicks, fraud):
        site.governed(one, door)
    eventually(lambda: held(site.cluster) == {"clicks": 2, "fraud": 4})
    keda = asked(site)
    eventually(lambda: refused_or(lambda: keda.value(application="fraud")) == 4.0)
    assert keda.spec(application="fraud", perReplica="2") == ("penstock-executors", 2.0, 2)
    assert (keda.value(tenant="clicks"), keda.value(fleet="lab", unit="cores")) == (2.0, 6.0)
    assert keda.active(application="fraud")
    assert next(keda.changes(fleet="lab")) is True
    clicks.rates["clicks"], fraud.rates["fraud"] = 380.0, 150.0
    eventually(lambda: keda.value(application="clicks") == 4.0 and keda.value(application="fraud") == 2.0)
    clicks.rates["clicks"] = 780.0  # eight would do, and two for fraud: more than there are
    eventually(lambda: keda.value(fleet="lab", count="needed") == 8 + 2)


def test_names_that_nobody_has_and_words_that_are_none_are_statuses_of_grpc(site: Site) -> None:
    site.begin()
    keda = asked(site)
    eventually(lambda: refused_or(lambda: keda.value(fleet="lab")) == 0.0)  # nobody reports, nothing is wanted
    assert keda.active(fleet="lab") is False
    code, told = refused(lambda: keda.value(application="fraud"))
    assert (code, told) == (grpc.StatusCode.NOT_FOUND, "no application fraud reports to the coordinator of lab")
    code, told = refused(lambda: keda.spec(aplication="fraud"))
    assert (code, "did you mean application?" in told) == (grpc.StatusCode.INVALID_ARGUMENT, True)
    raw = keda.channel.unary_unary("/externalscaler.ExternalScaler/IsActive")
    code, told = refused(lambda: raw(b"\xff", timeout=patience_s()))
    assert (code, told) == (grpc.StatusCode.INVALID_ARGUMENT, "it ends in the middle of a number")
    code, _ = refused(lambda: keda.channel.unary_unary("/externalscaler.ExternalScaler/StreamMetricSpec")(b""))
    assert code is grpc.StatusCode.UNIMPLEMENTED  # then KEDA asks for the spec as before


def test_one_that_follows_does_not_listen_and_begins_to_when_it_takes_over(site: Site) -> None:
    doors = [site.begin(), site.begin()]
    fraud = of_one("fraud", site.cluster, 380.0)
    site.governed(fraud, *doors)
    eventually(lambda: any(one.leads for one in site.coordinators))
    leader = next(number for number, one in enumerate(site.coordinators) if one.leads)
    first, second = asked(site, leader), asked(site, 1 - leader)
    eventually(lambda: refused_or(lambda: first.value(application="fraud")) == 4.0)
    code, _ = refused(
        lambda: second.channel.unary_unary("/externalscaler.ExternalScaler/IsActive")(b"", timeout=patience_s())
    )
    assert code is grpc.StatusCode.UNAVAILABLE
    site.coordinators[leader].stop()
    eventually(lambda: refused_or(lambda: second.value(application="fraud")) == 4.0)


def test_whatever_ends_a_term_of_the_door_it_listens_again(monkeypatch: pytest.MonkeyPatch) -> None:
    listen, errors = KedaDoor._listen, [grpc.aio.UsageError("nobody foresaw this"), KeyError("port")]

    async def failing(self: KedaDoor) -> None:
        if errors:
            raise errors.pop()
        await listen(self)

    monkeypatch.setattr(KedaDoor, "_listen", failing)
    known = Wishes("lab", (FRAUD,), 0.0, 40.0, 45.0)
    door = KedaDoor(lambda: known, lambda: True, lambda: AgentTokens({}))
    with door.open(), keda_at(door.address) as keda:
        assert keda.value(application="team-a/fraud") == 3.0


def test_what_is_not_known_now_is_unavailable_and_ends_a_stream() -> None:
    known = [Wishes("lab", (FRAUD,), 0.0, 40.0, 45.0)]

    def wishes() -> Wishes:
        if not known:
            raise OutageError("nothing was decided yet")
        return known[0]

    with KedaDoor(wishes, lambda: True, lambda: AgentTokens({})).open() as door, keda_at(door.address) as keda:
        changes = keda.changes(fleet="lab")
        assert next(changes) is True
        known[0] = Wishes("lab", (FRAUD,), 60.0, 40.0, 45.0)
        stale = (grpc.StatusCode.UNAVAILABLE, "no decision for 60 s: keep the present size")
        assert refused(lambda: next(changes)) == stale
        assert refused(lambda: keda.active(fleet="lab")) == stale
        known.clear()
        assert refused(lambda: keda.value(fleet="lab")) == (grpc.StatusCode.UNAVAILABLE, "nothing was decided yet")


def test_what_is_wanted_is_worked_out_once_for_all_streams_of_a_moment() -> None:
    """KEDA has a stream for each trigger of `external-push`: what each asks for would grow with all applications."""
    known, now, asked = [Wishes("lab", (FRAUD,), 0.0, 40.0, 45.0)], [0.0], list[float]()

    def wishes() -> Wishes:
        asked.append(now[0])
        return known[0]

    door = KedaDoor(wishes, lambda: True, lambda: AgentTokens({}), clock=lambda: now[0])
    with door.open(), keda_at(door.address) as keda:
        streams = [keda.changes(fleet="lab") for _ in range(20)]
        assert [next(stream) for stream in streams] == [True] * 20
        known[0], now[0] = Wishes("lab", (), 0.0, 40.0, 45.0), 10.0
        assert [next(stream) for stream in streams] == [False] * 20
    assert asked == [0.0, 10.0]


def test_beyond_loopback_a_token_is_needed_and_tells_of_the_applications_that_it_is_for(tmp_path: Path) -> None:
    hashes = tmp_path / "tokens"
    theirs, others, all_ = (new_agent_token(hashes, pattern) for pattern in ("team-a/*", "team-b/*", "*"))
    whole = Wishes("lab", (FRAUD,), 0.0, 40.0, 45.0)
    door = KedaDoor(lambda: whole, lambda: True, lambda: agent_tokens(hashes), KedaSettings("0.0.0.0"))
    with door.open(), keda_at(f"127.0.0.1:{door.port}") as keda:
        assert keda.value(application="team-a/fraud", tokenFromEnv=theirs) == 3.0
        assert keda.value(fleet="lab", tokenFromEnv=all_) == 3.0
        without, another = (partial(keda.active, application="team-a/fraud", tokenFromEnv=one) for one in ("", others))
        assert refused(without)[0] is grpc.StatusCode.UNAUTHENTICATED
        assert refused(another)[0] is grpc.StatusCode.PERMISSION_DENIED
        code, told = refused(lambda: keda.value(fleet="lab", tokenFromEnv=theirs))
        assert (code, told) == (grpc.StatusCode.PERMISSION_DENIED, "this token is for team-a/*, not for fleet lab")


def test_a_token_learns_nothing_of_names_that_it_is_not_for(tmp_path: Path) -> None:
    hashes = tmp_path / "tokens"
    others = new_agent_token(hashes, "team-b/*")
    whole = Wishes("lab", (FRAUD,), 0.0, 40.0, 45.0)
    door = KedaDoor(lambda: whole, lambda: True, lambda: agent_tokens(hashes), KedaSettings("0.0.0.0"))
    with door.open(), keda_at(f"127.0.0.1:{door.port}") as keda:
        for kind in ("application", "tenant"):
            there = refused(partial(keda.active, **{kind: "team-a/fraud"}, tokenFromEnv=others))
            absent = refused(partial(keda.active, **{kind: "team-a/nobody"}, tokenFromEnv=others))
            assert (there[0], there[1].replace("fraud", "nobody")) == absent


def test_with_a_certificate_it_speaks_tls(tmp_path: Path) -> None:
    (tmp_path / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -out crt -days 2 -subj /CN=here"
    subprocess.run(
        ["openssl", *made.split(), "-addext", "subjectAltName=IP:127.0.0.1"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    whole = Wishes("lab", (FRAUD,), 0.0, 40.0, 45.0)
    settings = KedaSettings(tls=(tmp_path / "crt", tmp_path / "key"))
    with ExitStack() as stack:
        door = stack.enter_context(KedaDoor(lambda: whole, lambda: True, lambda: AgentTokens({}), settings).open())
        keda = stack.enter_context(keda_at(door.address, (tmp_path / "crt").read_bytes()))
        assert keda.value(fleet="lab") == 3.0


def test_a_crowd_that_asks_nothing_is_bounded_and_leaves_who_asks_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("penstock.web.keda.door._MOST", 20)
    whole = Wishes("lab", (FRAUD,), 0.0, 40.0, 45.0)
    with ExitStack() as stack:
        door = stack.enter_context(KedaDoor(lambda: whole, lambda: True, lambda: AgentTokens({})).open())
        keda = stack.enter_context(keda_at(door.address))
        eventually(lambda: refused_or(lambda: keda.value(fleet="lab")) == 3.0)
        crowd = [stack.enter_context(socket.create_connection(("127.0.0.1", door.port))) for _ in range(60)]
        for visitor in crowd:
            with suppress(OSError):
                visitor.sendall(SHAKES_HANDS)
        eventually(lambda: len(_turned_away(crowd)) >= 60 - 20)
        assert keda.value(fleet="lab") == 3.0


def test_more_streams_than_there_may_be_are_refused_in_words_while_questions_are_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("penstock.web.keda.door._MOST_STREAMS", 5)
    whole = Wishes("lab", (FRAUD,), 0.0, 40.0, 45.0)
    with ExitStack() as stack:
        door = stack.enter_context(KedaDoor(lambda: whole, lambda: True, lambda: AgentTokens({})).open())
        crowd, other = (stack.enter_context(keda_at(door.address)) for _ in range(2))
        eventually(lambda: refused_or(lambda: crowd.value(fleet="lab")) == 3.0)
        streams = [crowd.changes(fleet="lab") for _ in range(5)]
        assert [next(stream) for stream in streams] == [True] * 5
        words = "5 streams are open, which is the most: use a trigger of type external"
        for keda in (crowd, other):
            assert refused(partial(next, keda.changes(fleet="lab"))) == (grpc.StatusCode.RESOURCE_EXHAUSTED, words)
            assert keda.value(fleet="lab") == 3.0
        del streams[0]  # which ends its call
        eventually(lambda: refused_or(lambda: next(other.changes(fleet="lab"))) is True)


def test_more_at_once_than_there_may_be_are_refused_and_later_ones_are_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("penstock.web.keda.door._MOST_AT_ONCE", 4)
    whole = Wishes("lab", (FRAUD,), 0.0, 40.0, 45.0)
    with ExitStack() as stack:
        door = stack.enter_context(KedaDoor(lambda: whole, lambda: True, lambda: AgentTokens({})).open())
        keda = stack.enter_context(keda_at(door.address))
        eventually(lambda: refused_or(lambda: keda.value(fleet="lab")) == 3.0)
        streams = [keda.changes(fleet="lab") for _ in range(4)]
        assert [next(stream) for stream in streams] == [True] * 4
        assert refused(lambda: keda.value(fleet="lab"))[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
        del streams[0]  # which ends its call
        eventually(lambda: refused_or(lambda: keda.value(fleet="lab")) == 3.0)


def test_who_does_not_even_shake_hands_may_not_stay() -> None:
    whole = Wishes("lab", (FRAUD,), 0.0, 40.0, 45.0)
    with KedaDoor(lambda: whole, lambda: True, lambda: AgentTokens({})).open() as door, keda_at(door.address) as keda:
        eventually(lambda: refused_or(lambda: keda.value(fleet="lab")) == 3.0)
        with socket.create_connection(("127.0.0.1", door.port)) as visitor:
            eventually(lambda: _over(visitor))


def _turned_away(crowd: Sequence[socket.socket]) -> Sequence[socket.socket]:
    """Those whose connection has ended; before that gRPC tells its settings."""
    return [visitor for visitor in crowd if _over(visitor)]


def _over(visitor: socket.socket) -> bool:
    visitor.setblocking(False)
    try:
        while visitor.recv(4096):
            pass
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def test_a_port_that_is_taken_is_told_before_anything_begins() -> None:
    with KedaDoor(lambda: Wishes("lab", (), 0.0, 40.0, 45.0), lambda: True, lambda: AgentTokens({})).open() as door:
        with keda_at(door.address) as keda:
            assert keda.active(fleet="lab") is False
        with pytest.raises(ConfigError, match=r"--keda: .* cannot be listened on"):
            KedaDoor(lambda: door._wishes(), lambda: True, lambda: AgentTokens({}), KedaSettings(port=door.port))


def test_penstock_coordinate_answers_keda_as_a_program(tmp_path: Path) -> None:
    (tmp_path / "fleet.yaml").write_text("{name: lab, cluster: {cores: 4}, interval: 300ms, report: 100ms}")
    port, kept = own_port(), ["--store", str(tmp_path / "runs.sqlite"), "--agent-tokens", str(tmp_path / "tokens")]
    words = ["coordinate", str(tmp_path / "fleet.yaml"), *kept, "--agents-port", "0", "--keda", str(port)]
    with (tmp_path / "log").open("wb") as log:
        program = subprocess.Popen(command(*words), env=environment(), stdout=log, stderr=log)
    try:
        with keda_at(f"127.0.0.1:{port}") as keda:
            assert eventually(lambda: (refused_or(lambda: keda.value(fleet="lab")),) == (0.0,))
        program.terminate()
        assert program.wait(60.0) == 130, (tmp_path / "log").read_text()
    finally:
        program.kill()
        program.wait()
    assert f"KEDA is answered at 127.0.0.1:{port}, by the leading coordinator" in (tmp_path / "log").read_text()


def test_what_only_advises_answers_no_keda(tmp_path: Path) -> None:
    called = penstock("coordinate", str(tmp_path / "fleet.yaml"), "--advise", "--keda", "7475")
    assert (called.returncode, called.stderr.count("\n")) == (2, 1)
    assert "--keda: 7475 cannot be used; leave it out with --advise" in called.stderr
