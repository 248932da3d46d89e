"""Tokens for pages and for agents: `penstock serve --new-tokens` and `penstock coordinate --new-token` as calls."""

from pathlib import Path

from penstock.extras import check_extra


def new_tokens(tokens: Path | None = None) -> tuple[str, str]:
    """New tokens of the pages, to read and to operate with, in place of those before; only their hashes are kept."""
    from penstock.web.tokens import default_tokens, new_tokens_at

    shown = new_tokens_at(tokens or default_tokens())
    return shown.read, shown.operate


def new_agent_token(pattern: str, tokens: Path | None = None) -> str:
    """A token for agents of the applications of that pattern, such as `team-a/*`; only its hash is kept."""
    check_extra("web")
    from penstock.web.agents_door import new_agent_token as made
    from penstock.web.agents_door import tokens_beside_runs

    return made(tokens or tokens_beside_runs(), pattern)
