"""The picture of a simulation: utility over time with a line for each decision, and how often SLOs were met."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from penstock.errors import ConfigError
from penstock.simulation.run import RunResult

COLOURS = ("#0b6e99", "#c4572e", "#5b8c3e", "#7a4f9e", "#8a8a8a", "#b08d00", "#3f3f8f", "#a23b72")
MARKS = {"Reconfigured": "#2b2b2b", "Reduced": "#c4572e", "Reverted": "#7a4f9e", "Rescaled": "#8a8a8a"}
LABEL_ROOM = 0.015  # of the width: what a name over a line needs


def plot(results: Sequence[RunResult], out: Path) -> None:
    """Write the figure of these runs, best seen with a handful of policies."""
    figure, axes = plt.subplots(
        3, 1, figsize=(11, 9), height_ratios=(3, 1.3, 1.6), layout="constrained", facecolor="white"
    )
    for place, result in enumerate(results):
        _utility(axes[0], result, COLOURS[place % len(COLOURS)])
    acting = next((result for result in results if result.recorder.decisions), results[0])
    _decisions(axes[0], acting)
    scenario = results[0].variant.scenario
    axes[0].set_title(f"{scenario.name}: {scenario.about}" if scenario.about else scenario.name, loc="left", wrap=True)
    _load(axes[1], acting)
    _satisfaction(axes[2], results)
    try:
        figure.savefig(out, dpi=110)
    except (OSError, ValueError) as error:
        raise ConfigError("--plot", str(out), f"give a PNG file that can be written ({error})") from None
    finally:
        plt.close(figure)


def _name(result: RunResult) -> str:
    return f"{result.policy} {result.variant.label}".strip()


def _utility(axis: Axes, result: RunResult, colour: str) -> None:
    axis.plot(result.recorder.at_s, 100 * result.recorder.share(), color=colour, lw=1.6, label=_name(result))
    axis.set_ylim(-2, 112)
    axis.set_xlim(0, result.variant.scenario.duration)
    axis.set_ylabel("utility, % of its maximum")
    axis.legend(loc="lower right", frameon=False)
    axis.grid(alpha=0.25)


def _decisions(axis: Axes, result: RunResult) -> None:
    duration = result.variant.scenario.duration
    labelled, height = -duration, 0
    for record in result.recorder.decisions:
        decision = record.decision
        axis.axvline(decision.at_s, color=MARKS.get(str(decision.reason), "#8a8a8a"), lw=0.8, alpha=0.6)
        if decision.at_s - labelled < LABEL_ROOM * duration:
            continue  # names on top of each other tell nothing
        label = decision.jobs[0] if len(decision.jobs) == 1 else str(decision.reason)
        axis.text(decision.at_s, 104 + 4 * height, label, fontsize=7, ha="center", va="bottom", clip_on=True)
        labelled, height = decision.at_s, 1 - height
    start = result.variant.scenario.govern_from
    if start > 0:
        axis.axvspan(0, start, color="#000000", alpha=0.04)
        axis.text(start / 2, 2, "only watching", fontsize=8, ha="center", color="#666666")


def _load(axis: Axes, result: RunResult) -> None:
    recorder = result.recorder
    axis.plot(recorder.at_s, recorder.load, color="#5b8c3e", lw=1.2, label="runnable threads on a machine")
    axis.axhline(result.variant.scenario.cluster.cores, color="#c4572e", lw=0.8, ls="--", label="cores")
    axis.set_xlim(0, result.variant.scenario.duration)
    axis.set_xlabel("seconds")
    axis.set_ylabel(f"load under {result.policy}")
    axis.set_ylim(bottom=0)
    axis.legend(loc="upper right", frameon=False, fontsize=8)
    axis.grid(alpha=0.25)


def _satisfaction(axis: Axes, results: Sequence[RunResult]) -> None:
    """Share of the time that each job met its SLO, jobs from the worst to the best."""
    for place, result in enumerate(results):
        met = sorted(job["slo_met"] or 0.0 for job in result.summary()["jobs"].values())
        across = (np.arange(len(met)) + 0.5) / len(met)
        axis.plot(
            across * 100, 100 * np.array(met), "o-", ms=3, color=COLOURS[place % len(COLOURS)], label=_name(result)
        )
    axis.set_xlabel("jobs, from the worst off, %")
    axis.set_ylabel("time with SLO met, %")
    axis.set_ylim(-4, 104)
    axis.set_xlim(0, 100)
    axis.legend(loc="best", frameon=False, fontsize=8)
    axis.grid(alpha=0.25)
