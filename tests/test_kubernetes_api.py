"""Where an API server is: a kubeconfig, or a pod, of which something is missing is a mistake that is told in a line."""

from pathlib import Path

import pytest

from penstock.errors import ConfigError
from penstock.kubernetes_api import api

NAMED = "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "[" * 20_000,
        "day: 2020-99-99",
        "current-context: a\ncontexts: [a]",
        f"{NAMED}clusters: [{{name: c, cluster: here}}]\nusers: [{{name: u, user: me}}]",
        f"{NAMED}clusters: [{{name: c, cluster: {{server: s}}}}]\nusers: [{{name: u, user: [me]}}]",
        f"{NAMED}clusters: [{{name: c, cluster: {{certificate-authority-data: A}}}}]\nusers: [{{name: u, user: {{}}}}]",
    ],
)
def test_a_file_that_is_no_kubeconfig_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "config").write_text(text)
    with pytest.raises(ConfigError, match="set KUBECONFIG to a file with a current context"):
        api({"KUBECONFIG": str(tmp_path / "config")})


@pytest.mark.parametrize("certificate", [None, "none"])
def test_a_pod_without_its_certificate_is_told_where_it_should_be(tmp_path: Path, certificate: str | None) -> None:
    (tmp_path / "token").write_text("t")
    if certificate is not None:
        (tmp_path / "ca.crt").write_text(certificate)
    with pytest.raises(ConfigError, match=r"ca\.crt.*have the service account's certificate mounted there"):
        api({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, tmp_path)
