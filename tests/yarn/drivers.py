"""Two real drivers whose executors are containers of a real YARN."""

from pathlib import Path

from penstock.engines.applications.yarn import YarnCluster
from tests.governing.two_drivers import TwoDrivers
from tests.yarn.real import QUEUE, RealYarn


def on_yarn(yarn: RealYarn, place: Path) -> TwoDrivers:
    """Yet to begin. Four executors, and the master of each application, have all six cores."""
    cluster, fleet = YarnCluster(yarn.page, QUEUE), {"yarn": yarn.page, "queue": QUEUE}
    conf = {"spark.yarn.queue": "streams", "spark.driver.memory": "512m"}
    return TwoDrivers(place, "yarn", cluster, fleet, yarn.around, conf)
