"""Messages of the fleet: there and back, and all that is refused."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.seen.trouble import TroubleKind
from penstock.engines.applications import wire
from penstock.engines.applications.wire import (
    MOST_BYTES,
    Order,
    Reply,
    Report,
    SaidTenant,
    Serials,
    WireError,
    encode_answer,
    encode_report,
    plain_state,
    read_answer,
    read_report,
    read_state,
)
from tests.engines.applications.saying import state, tenant

REPORT = Report("fraud", "i-1", 7, {"executors": {"now": 1}}, base=6, applied=Serials(3, 12))
ANSWER = Reply(3, 7, 2.0, 15.0, Order(Serials(3, 12), 4, "clicks gives two"))


def test_a_report_arrives_as_it_was_sent() -> None:
    whole = Report("team/fraud", "i-1", 1, plain_state(state()), refused="too many", leaving=True)
    for report in (REPORT, whole, replace(REPORT, obeys=1_795_000_000), replace(REPORT, obeys=2**53)):
        assert read_report(encode_report(report)) == report


def test_what_is_obeyed_is_said_only_where_it_is_news_for_coordinators_of_before_do_not_know_it() -> None:
    assert "obeys" not in json.loads(encode_report(REPORT))
    assert json.loads(encode_report(replace(REPORT, obeys=4)))["obeys"] == 4


@pytest.mark.parametrize("answer", [ANSWER, Reply(3, None, 2.0, 15.0)])
def test_an_answer_arrives_as_it_was_sent(answer: Reply) -> None:
    assert read_answer(encode_answer(answer)) == answer


def test_a_state_arrives_as_it_was_sent_with_its_intents_to_the_last_bit() -> None:
    odd = Intent(Latency("1.7s", percentile=95, utility=35, shape="knee"), Juice(0.9, utility=5), recovery="60s")
    tenants = {"a": tenant(), "b": SaidTenant(intent=odd)}
    said = state(worth=[(1, 3.25), (2, 8.0)], tenants=tenants)
    assert read_state(json.loads(json.dumps(plain_state(said))))[0] == said


def test_intents_that_are_longer_than_any_of_ours_are_read_and_not_kept() -> None:
    plain, kept = plain_state(state(tenants={"a": tenant()})), wire._kept_intent.cache_info().currsize
    for number in range(3):
        text = plain["tenants"]["a"]["intent"] + " " * (60_000 + number)
        said = {**plain, "tenants": {"a": {**plain["tenants"]["a"], "intent": text}}}
        assert read_state(said)[0].tenants["a"].intent == tenant().intent
    assert wire._kept_intent.cache_info().currsize == kept


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
@settings(max_examples=25)
def test_whatever_else_comes_is_refused_with_a_sentence(value: Any) -> None:
    for raw in (json.dumps(value).encode(), repr(value).encode("utf-8", "replace")):
        for read in (read_report, read_answer):
            with pytest.raises(WireError):
                read(raw)


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"penstock": 2}, "speaks version 1 of the fleet's messages, not 2"),
    ({"application": "a b"}, "application"),
    ({"application": "x" * 201}, "application"),
    ({"number": -1}, "number"),
    ({"number": "7"}, "number"),
    ({"applied": [1]}, "applied"),
    ({"obeys": -1}, "obeys"),
    ({"obeys": 2**53 + 1}, "obeys"),
    ({"obeys": 4.0}, "obeys"),
    ({"more": 1}, "more"),
    ({"state": []}, "state"),
]


@pytest.mark.parametrize(("change", "said"), CHANGES)
def test_a_report_that_does_not_fit_is_refused_and_told_where(change: dict[str, Any], said: str) -> None:
    raw = json.dumps({**json.loads(encode_report(REPORT)), **change}).encode()
    with pytest.raises(WireError, match=said):
        read_report(raw)


STATES: list[tuple[dict[str, Any], str]] = [
    ({"executors": {"now": 1, "wanted": 1}}, "executors.most"),
    ({"executors": {"now": 1.5, "wanted": 1, "most": 2}}, "executors.now"),
    ({"executors": {"now": 10**6, "wanted": 1, "most": 2}}, "executors.now"),
    ({"tenants": {"ads": {}}}, "tenants.ads.intent"),
    ({"tenants": {"ads": {"intent": "{}"}}}, "no intent"),
    ({"tenants": {"ads": {"intent": "["}}}, "no intent"),
    ({"tenants": {"a b": {"intent": "{}"}}}, "tenants"),
    ({"worth": [[1, -2.0]]}, "worth"),
    ({"worth": [[1]]}, "worth"),
    ({"token": "x"}, "token"),
]


ASKED: dict[str, Any] = {
    "kind": "Latency",
    "utility": 5.0,
    "target": 2.0,
    "percentile": None,
    "shape": {"kind": "Knee"},
}
HOURS = {"from_s": 0, "to_s": 3600, "days": [0], "zone": "UTC"}
# Each of these was taken, and ended every round of the whole fleet, or made its utility NaN, as soon as it was counted.
LIES: list[tuple[str, str]] = [
    ("[" * 60_000, "RecursionError"),
    (" " * 70_000, "65,536 characters at most, not 70,000"),
    *(
        (json.dumps({"objectives": [{**ASKED, **change}], "recovery_s": None}), said)
        for change, said in (
            ({"shape": {"kind": "Piecewise", "points": [["x", 0.5]]}}, "points"),
            ({"shape": {"kind": "Piecewise", "points": [[2.0, 50.0]]}}, "points"),
            ({"shape": {"kind": "Piecewise", "points": [[2.0, float("nan")]]}}, "points"),
            ({"shape": {"kind": "Piecewise", "points": [[2.0, 0.1], [3.0, 0.9]]}}, "points"),
            ({"hours": {**HOURS, "zone": "../../etc/passwd"}}, "zone"),
            ({"hours": {**HOURS, "zone": "A" * 10_000}}, "zone"),
            ({"hours": {**HOURS, "days": []}}, "days"),
            ({"hours": {**HOURS, "days": ["mon"]}}, "days"),
            ({"hours": {**HOURS, "days": [0] * 1000}}, "days"),
            ({"hours": {**HOURS, "from_s": "x"}}, "hours"),
            ({"hours": {**HOURS, "from_s": float("nan")}}, "hours"),
        )
    ),
    *(
        (json.dumps({"objectives": [ASKED], "recovery_s": None, "excluded": [period]}), said)
        for period, said in (
            ({"from_epoch_s": "a", "to_epoch_s": "b", "why": "x"}, "from"),
            ({"from_epoch_s": 0, "to_epoch_s": 1, "why": {"a": 1}}, "why"),
        )
    ),
]


@pytest.mark.parametrize(("intent", "said"), LIES, ids=lambda value: value[-60:] if isinstance(value, str) else None)
def test_an_intent_that_nobody_could_count_is_refused_and_told_where(intent: str, said: str) -> None:
    tenants = {"fraud": {**plain_state(state())["tenants"]["fraud"], "intent": intent}}
    with pytest.raises(WireError, match=f"tenants.fraud.intent: .*{said}"):
        read_state({**plain_state(state()), "tenants": tenants})


@pytest.mark.parametrize(("change", "said"), STATES)
def test_a_state_that_does_not_fit_is_refused_and_told_where(change: dict[str, Any], said: str) -> None:
    with pytest.raises(WireError, match=said):
        read_state({**plain_state(state()), **change})


def test_not_a_number_and_too_much_are_refused() -> None:
    with pytest.raises(WireError):
        read_report(b'{"penstock": 1, "application": "a", "instance": "i", "number": NaN, "state": {}}')
    with pytest.raises(WireError, match="bytes at most"):
        read_report(b" " * (MOST_BYTES + 1))


def test_what_an_application_says_in_words_looks_like_no_line_of_the_coordinators() -> None:
    forged = "no room\n60 s  alice paused everything\x1b[2J"
    told = "no room 60 s  alice paused everything\\x1b[2J"
    said = json.loads(encode_report(Report("fraud", "i-1", 7, {}, refused=forged)))
    assert read_report(json.dumps(said).encode()).refused == told
    tenants = {"fraud": {**plain_state(state())["tenants"]["fraud"], "trouble": forged}}
    assert read_state({**plain_state(state()), "tenants": tenants})[0].tenants["fraud"].trouble == told
    longest = SaidTenant(intent=Intent(Juice(0.9)), trouble="\x1b" * 500)
    again, _ = read_state(json.loads(json.dumps(plain_state(state(tenants={"fraud": longest})))))
    assert again.tenants["fraud"].trouble == longest.trouble  # what was made longer is not refused for its length


def test_which_trouble_a_tenant_has_travels_beside_its_words_and_one_of_no_kind_is_refused() -> None:
    down = tenant(trouble="not running: no topic; tried twice", trouble_kind=TroubleKind.NOT_RUNNING, trouble_cause="x")
    said = json.loads(json.dumps(plain_state(state(tenants={"fraud": down}))))
    assert read_state(said)[0].tenants["fraud"] == down
    said["tenants"]["fraud"]["trouble_kind"] = "dance"
    with pytest.raises(WireError, match=r"tenants\.fraud\.trouble_kind: Input should be 'not running'"):
        read_state(said)


def test_what_is_said_of_one_tenant_is_small() -> None:
    one = tenant(arrival_rps=1234.5, processed_rps=1200.25, backlog_rows=3000.0, busy=0.75, up_s=3600.0)
    ten = {f"tenant-{number}": one for number in range(10)}
    raw = encode_report(Report("shop", "i-1", 1, plain_state(state(tenants=ten))))
    assert len(raw) < 10 * 450
    heartbeat = encode_report(Report("shop", "i-1", 2, {}, base=1))
    assert len(heartbeat) < 100


def test_later_epochs_go_before_higher_numbers() -> None:
    assert Serials(2, 1) > Serials(1, 9) > Serials(1, 8)
