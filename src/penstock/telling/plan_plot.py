"""Threads on slots as a picture: a bar for each slot, a colour for each operator, machines set apart."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt

from penstock.core.known.placement import Placement, Slot
from penstock.errors import ConfigError

GAP = 0.8  # between machines, in slots


def plot(placement: Placement, title: str, out: Path) -> None:
    """Draw the placement to a PNG file."""
    at: dict[Slot, float] = {}
    middles, x = [], 0.0
    for number, machine in enumerate(placement.machines):
        at.update({Slot(number, slot): x + slot for slot in range(machine.slots)})
        middles.append(x + (machine.slots - 1) / 2)
        x += machine.slots + GAP
    figure, axes = plt.subplots(figsize=(min(24.0, max(6.0, 0.35 * x)), 4.2), layout="constrained")
    height = dict.fromkeys(at, 0)
    colours = plt.get_cmap("tab20")
    for place, operator in enumerate(placement.allocation.topology.operators):
        here = {slot: content[operator] for slot, content in placement.threads_on().items() if operator in content}
        bottoms = [height[slot] for slot in here]
        axes.bar([at[s] for s in here], list(here.values()), 0.9, bottoms, color=colours(place % 20), label=operator)
        for slot, threads in here.items():
            height[slot] += threads
    axes.set_xticks(middles, [machine.name for machine in placement.machines], rotation=90 if len(middles) > 20 else 0)
    axes.set_xlim(-0.7, x - GAP - 0.3)  # empty slots are seen as such
    axes.set_ylabel("threads on a slot")
    axes.set_title(title, loc="left")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    try:
        figure.savefig(out, dpi=110)
    except (OSError, ValueError) as error:
        raise ConfigError("--plot", str(out), f"give a PNG file that can be written ({error})") from None
    finally:
        plt.close(figure)
