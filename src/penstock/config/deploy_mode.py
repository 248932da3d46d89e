"""Where drivers run: where penstock runs, which Spark calls client mode. Of cluster mode is said what does it instead.

Spark itself starts a Java process, which ends with JAVA_GATEWAY_EXITED.
"""

from typing import Final

from penstock.errors import ConfigError

SETTING: Final = "spark.submit.deployMode"
CLUSTER: Final = "cluster"

_PROGRAM = "submit a program of your own that calls ps.govern with `spark-submit --deploy-mode cluster`"
_INSTEAD = {
    "yarn": f"to have YARN keep a driver, {_PROGRAM}",
    "k8s://": "to have Kubernetes keep a driver, run `penstock run` in a pod, as deploy/kubernetes/driver.yaml does",
    "spark://": "a standalone cluster starts no driver in Python; have the init system of a machine that stays keep it",
}


def refused(mode: object, master: str) -> str | None:
    """What to do instead of that mode there; None where it is none that is refused.

    >>> refused("client", "yarn"), refused("cluster", "local[4]")
    (None, 'leave it out: drivers run where penstock runs (client mode)')
    """
    if mode != CLUSTER:
        return None
    instead = next((text for start, text in _INSTEAD.items() if master.startswith(start)), "")
    return f"leave it out: drivers run where penstock runs (client mode){instead and f'; {instead}'}"


def check(mode: str, master: str) -> None:
    """A ConfigError for an option that asks for what is refused."""
    remedy = refused(mode, master)
    if remedy is not None:
        raise ConfigError("--deploy-mode", mode, remedy)
