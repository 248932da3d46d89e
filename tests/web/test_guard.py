"""Who may come in, and what no answer lacks."""

import json
import logging
import stat
from collections.abc import Callable
from dataclasses import replace

import httpx
import pytest

from penstock.errors import ConfigError
from penstock.store.sql import SqlStore
from penstock.web.rates import RateLimit
from penstock.web.server import Site
from penstock.web.settings import Rate, WebSettings
from penstock.web.tokens import new_tokens_at, tokens_at
from tests.patience import eventually, patience_s
from tests.web import asking

pytestmark = pytest.mark.sockets

Serve = Callable[[WebSettings], Site]


@pytest.fixture
def guarded(serve: Serve, settings: WebSettings) -> tuple[Site, str, str]:
    """A site as it is beyond loopback, with its tokens: to read, to operate."""
    assert settings.tokens is not None
    _, shown = tokens_at(settings.tokens)
    assert shown is not None
    site = serve(replace(settings, allowed_hosts=frozenset({"127.0.0.1", "dash.example"})))
    return site, shown.read, shown.operate


def bearing(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_beyond_loopback_nobody_comes_in_without_a_token(guarded: tuple[Site, str, str]) -> None:
    site, read, _ = guarded
    assert asking.get(f"{site.url}api/runs").status_code == 401
    assert asking.get(f"{site.url}metrics").status_code == 401
    assert asking.get(f"{site.url}api/runs", headers=bearing("read-guess")).status_code == 401
    assert asking.get(f"{site.url}api/runs", headers=bearing(read)).status_code == 200


def test_the_first_pages_figures_are_sent_along(site: Site) -> None:
    assert "</api/overview?run=last>; rel=preload" in asking.get(site.url).headers["link"]


def test_to_nobody_who_may_not_read_them(guarded: tuple[Site, str, str]) -> None:
    site, read, _ = guarded
    assert "link" not in asking.get(site.url).headers
    assert "link" in asking.get(site.url, headers=bearing(read)).headers


def test_the_read_token_does_not_act(guarded: tuple[Site, str, str]) -> None:
    site, read, operate = guarded
    pause = {"act": "pause"}
    assert asking.post(f"{site.url}api/control", headers=bearing(read), json=pause).status_code == 403
    # Allowed, but nobody governs that run.
    assert asking.post(f"{site.url}api/control", headers=bearing(operate), json=pause).status_code == 409


def test_a_token_is_exchanged_for_a_session_that_scripts_cannot_read(guarded: tuple[Site, str, str]) -> None:
    site, _, operate = guarded
    with httpx.Client(base_url=site.url, timeout=patience_s()) as client:
        assert client.post("api/session", json={"token": "wrong"}).status_code == 401
        came_in = client.post("api/session", json={"token": operate})
        assert came_in.json()["role"] == "operate"
        assert {"HttpOnly", "SameSite=strict"} <= set(came_in.headers["set-cookie"].split("; "))
        assert client.get("api/runs").status_code == 200
        client.delete("api/session")
        assert client.get("api/runs").status_code == 401


def test_tokens_are_shown_once_and_kept_as_hashes(settings: WebSettings) -> None:
    assert settings.tokens is not None
    tokens, shown = tokens_at(settings.tokens)
    assert shown is not None
    kept = settings.tokens.read_text()
    assert (shown.read in kept, shown.operate in kept) == (False, False)
    assert stat.S_IMODE(settings.tokens.stat().st_mode) == 0o600
    assert tokens_at(settings.tokens) == (tokens, None)
    assert (tokens.role_of(shown.read), tokens.role_of(shown.operate)) == ("read", "operate")


@pytest.mark.parametrize("hashed", ["über", "", None])
def test_words_that_are_no_hash_are_no_token_of_anybody(settings: WebSettings, hashed: str | None) -> None:
    assert settings.tokens is not None
    settings.tokens.write_text(json.dumps({"read": hashed, "operate": hashed}))
    with pytest.raises(ConfigError, match="it holds no tokens"):
        tokens_at(settings.tokens)


def test_tokens_are_rotated_while_a_site_serves_and_what_the_old_ones_began_ends(
    guarded: tuple[Site, str, str], settings: WebSettings
) -> None:
    assert settings.tokens is not None
    site, read, operate = guarded
    with httpx.Client(base_url=site.url, timeout=patience_s()) as client:
        assert client.post("api/session", json={"token": operate}).status_code == 200
        with client.stream("GET", "api/live") as watched:
            told = watched.iter_lines()
            next(told)
            shown = new_tokens_at(settings.tokens)
            assert sum(1 for _ in told) >= 0  # it ends: without that this waits for ever
        eventually(lambda: client.get("api/runs").status_code == 401)
    codes = [
        asking.get(f"{site.url}api/runs", headers=bearing(token)).status_code for token in (read, operate, shown.read)
    ]
    assert codes == [401, 401, 200]
    assert stat.S_IMODE(settings.tokens.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [None, "", '{"read": "x"}'])
def test_without_a_whole_file_of_tokens_nobody_comes_in_until_there_is_one(
    guarded: tuple[Site, str, str],
    settings: WebSettings,
    content: str | None,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Other sites of this process, which other tests keep, may have said the same within the minute.
    monkeypatch.setattr(logging.getLogger("penstock.web"), "filters", [])
    assert settings.tokens is not None
    site, read, _ = guarded
    kept = settings.tokens.read_text()
    if content is None:
        settings.tokens.unlink()
    else:
        settings.tokens.write_text(content)

    def code() -> int:
        return asking.get(f"{site.url}api/runs", headers=bearing(read)).status_code

    eventually(lambda: code() == 401)
    assert [code() for _ in range(2)] == [401, 401]
    assert len([record for record in caplog.records if "no token is accepted" in record.message]) == (
        content is not None
    )
    settings.tokens.write_text(kept)
    eventually(lambda: code() == 200)


def test_a_name_that_points_here_is_not_enough(site: Site) -> None:
    assert asking.get(f"{site.url}api/runs", headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("header", ["host", "origin"])
@pytest.mark.parametrize("given", ["[", "[::1", "http://[", "a:99999", "http://a:x", "//"])
def test_an_address_that_is_none_is_nobodys(site: Site, header: str, given: str) -> None:
    assert asking.get(f"{site.url}api/runs", headers={header: given}).status_code == (421 if header == "host" else 403)


@pytest.mark.parametrize("headers", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}])
def test_other_sites_cannot_act(site: Site, headers: dict[str, str]) -> None:
    answer = asking.post(f"{site.url}api/control", json={"act": "pause"}, headers=headers)
    assert answer.status_code == 403


def from_elsewhere(**more: str) -> dict[str, str]:
    return {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", **more}


@pytest.mark.parametrize("path", ["api/overview", "api/live", "metrics"])
def test_other_sites_see_nothing_and_take_nothing_of_what_the_user_may_ask(
    serve: Serve, settings: WebSettings, path: str
) -> None:
    site = serve(replace(settings, reads=Rate(burst=2, per_s=0.001)))
    for _ in range(5):
        assert asking.get(f"{site.url}{path}", headers=from_elsewhere()).status_code == 403
        asking.get(site.url, headers=from_elsewhere())  # the page itself, in an image's place
    assert [asking.get(f"{site.url}api/runs").status_code for _ in range(2)] == [200, 200]


def test_a_link_from_elsewhere_can_be_followed(site: Site) -> None:
    followed = from_elsewhere(**{"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"})
    assert asking.get(site.url, headers=followed).status_code == 200
    assert asking.get(f"{site.url}metrics", headers=followed).status_code == 200


def test_behind_a_proxy_each_of_its_clients_is_somebody(serve: Serve, settings: WebSettings) -> None:
    assert settings.tokens is not None
    _, shown = tokens_at(settings.tokens)
    assert shown is not None
    here = replace(settings, proxies=frozenset({"127.0.0.0/8"}), reads=Rate(burst=1, per_s=0.001))

    def codes(site: Site) -> list[int]:
        clients = ("10.0.0.1", "10.0.0.1", "10.0.0.2")
        told = [bearing(shown.read) | {"x-forwarded-for": client} for client in clients]
        return [asking.get(f"{site.url}api/runs", headers=headers).status_code for headers in told]

    assert codes(serve(here)) == [200, 429, 200]
    # Where no proxy is known nobody's word is taken for it.
    assert codes(serve(replace(here, proxies=frozenset(), allowed_hosts=frozenset({"127.0.0.1"})))) == [200, 429, 429]


def test_a_proxy_is_an_address_or_a_network() -> None:
    with pytest.raises(ConfigError, match="--proxy"):
        WebSettings(proxies=frozenset({"proxy.example"}))
    assert WebSettings(proxies=frozenset({"10.1.2.3"})).tokens_required


def test_tokens_are_made_and_shown_only_where_somebody_needs_them(store: SqlStore, settings: WebSettings) -> None:
    said: list[str] = []
    with Site(store, settings, said.append).beside() as site:
        assert asking.get(f"{site.url}api/runs", headers=bearing("operate-")).status_code == 401
    assert settings.tokens is not None
    assert (said, settings.tokens.exists()) == ([], False)
    with Site(store, replace(settings, allowed_hosts=frozenset({"127.0.0.1"})), said.append).beside():
        assert [line.split()[0] for line in said] == ["new", "to", "to", "warning:"]
        assert settings.tokens.exists()


def test_a_large_body_is_refused(site: Site) -> None:
    body = json.dumps({"act": "pause", "who": "a" * 100_000})
    assert asking.post(f"{site.url}api/control", content=body).status_code == 413


def test_who_asks_too_fast_is_told_when_to_come_back(serve: Serve, settings: WebSettings) -> None:
    site = serve(replace(settings, reads=Rate(burst=3, per_s=0.001)))
    codes = [asking.get(f"{site.url}api/session").status_code for _ in range(4)]
    assert codes == [200, 200, 200, 429]
    assert int(asking.get(f"{site.url}api/session").headers["retry-after"]) >= 1


def test_buckets_of_those_not_seen_for_long_are_let_go() -> None:
    limit = RateLimit(Rate(burst=1, per_s=1.0), clock=lambda: 0.0)
    assert limit.wait_s("first") == 0.0
    for number in range(10_000):
        limit.wait_s(str(number))
    assert limit.wait_s("first") == 0.0


@pytest.mark.parametrize("path", ["", "api/runs", "metrics", "api/nothing", "no-such-page"])
def test_every_answer_has_careful_headers(site: Site, path: str) -> None:
    headers = asking.get(f"{site.url}{path}").headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert "server" not in headers


def test_the_pages_load_nothing_from_elsewhere(site: Site) -> None:
    page = asking.get(site.url).text
    assert "http://" not in page
    assert "https://" not in page
