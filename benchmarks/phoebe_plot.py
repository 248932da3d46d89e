"""Figure 6 of the Phoebe paper, with what was simulated here: recovery times, and the distribution of latencies."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot as plt

COLOURS = {
    "static 24": "#555555",
    "static 12": "#8c8c8c",
    "static 4": "#bdbdbd",
    "phoebe": "#0b6e4f",
    "reactive": "#c1666b",
    "twres": "#d4a017",
}
CUT_S = 360.0  # the paper writes "6m+" beyond
SHOWN = ("static 24", "static 12", "phoebe", "reactive", "twres")  # static 4 never recovers, there or here

Times = Sequence[float | None]


def draw(
    path: Path,
    target_s: float,
    experiments: Mapping[str, Mapping[str, Any]],
    paper: Mapping[str, Mapping[str, tuple[list[float | None], int | None]]],
) -> None:
    """One row for each experiment: recoveries by failure (bars: here, diamonds: the paper), and latencies."""
    figure, axes = plt.subplots(len(experiments), 2, figsize=(13, 3.6 * len(experiments)), squeeze=False)
    for row, (name, found) in zip(axes, experiments.items(), strict=True):
        _recoveries(row[0], target_s, {key: found[key] for key in SHOWN}, paper[name])
        _latencies(row[1], found)
        row[0].set_title(f"{name}: recovery times (bars: simulated here; diamonds: the paper)", fontsize=10, loc="left")
        row[1].set_title(f"{name}: share of the time with at most that latency", fontsize=10, loc="left")
    axes[0][1].legend(fontsize=8, frameon=False, loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _recoveries(
    axis: Any, target_s: float, found: Mapping[str, Any], paper: Mapping[str, tuple[list[float | None], int | None]]
) -> None:
    width = 0.8 / len(found)
    for place, (label, result) in enumerate(found.items()):
        ours: Times = [recovery["seconds"] for recovery in result.recoveries]
        at = np.arange(len(ours)) + (place - len(found) / 2 + 0.5) * width
        axis.bar(at, _cut(ours), width * 0.9, color=COLOURS[label])
        axis.plot(at, _cut(paper[label][0]), "D", color="white", markeredgecolor=COLOURS[label], markersize=4)
    axis.axhline(target_s, color="black", linewidth=0.8, linestyle="--")
    axis.set_xticks(range(8), [f"#{number}" for number in range(1, 9)])
    axis.set_ylim(0, CUT_S * 1.03)
    axis.set_yticks([0, 60, 120, 180, 240, 300, 360], ["0", "60", "120", "180", "240", "300", "6m+"])
    axis.set_ylabel("seconds")
    axis.spines[["top", "right"]].set_visible(False)


def _cut(times: Times) -> list[float]:
    return [CUT_S if value is None else min(CUT_S, float(str(value))) for value in times]


def _latencies(axis: Any, found: Mapping[str, Any]) -> None:
    for label, result in found.items():
        latency = result.recorder.column("latency_s")[:, 0]
        values = np.sort(latency[~np.isnan(latency)])
        points = np.linspace(0, len(values) - 1, 400).astype(int)
        axis.step(values[points], points / (len(values) - 1), color=COLOURS[label], label=label, linewidth=1.4)
    axis.set_xscale("log")
    axis.set_xlim(0.8, 20_000)
    axis.set_ylim(0, 1.02)
    axis.set_xlabel("latency, seconds")
    axis.spines[["top", "right"]].set_visible(False)
