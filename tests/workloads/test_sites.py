"""PageLoad's database: the same table in SQLite and in PostgreSQL."""

from pathlib import Path

import pytest

from penstock.workloads.sites import make_sites, sites_of


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'sites.sqlite'}"
    found: str = request.getfixturevalue("postgres_url")
    return found


def test_pages_have_their_site_and_making_them_again_changes_nothing(url: str) -> None:
    make_sites(url)
    make_sites(url)
    assert sites_of(url, ["0000", "0023", "0000", "9999"]) == {"0000": ("site-00", True), "0023": ("site-03", False)}
    assert len(sites_of(url, [f"{number:04d}" for number in range(600)])) == 500
