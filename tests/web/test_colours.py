"""Lines and strips stay apart for those who see no red, no green or no blue, in light and in dark."""

import math
import re
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest

SHEET = Path(__file__).parents[2] / "frontend" / "src" / "style.css"
Triple = tuple[float, float, float]
Matrix = tuple[Triple, Triple, Triple]

# What is left of a colour in linear light for those who lack one kind of cone wholly: Machado, Oliveira and Fernandes,
# "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, severity 1.0.
VISIONS: dict[str, Matrix] = {
    "all cones": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
SERIES = tuple(f"c{place}" for place in range(8))
STRIP = ("met", "u2", "u1", "u0", "none")  # how much of its utility a tenant had, and no figure
WHAT_IF = ("ink-2", "c0", "c1")  # its lines that are not dashed
# Hundredths of OKLab, of which 2 are just noticed side by side; a line is looked for in a legend further off.
APART = {SERIES: 8.0, STRIP: 12.0, WHAT_IF: 8.0}
LEAST_CONTRAST = 3.0  # of a line with its ground: WCAG 2.2, 1.4.11


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("names", APART, ids=["series", "strip", "what-if"])
def test_colours_that_are_told_apart_in_a_legend_stay_apart(names: tuple[str, ...], look: str, vision: str) -> None:
    inks = inks_of(look)
    seen = {name: oklab(as_seen(linear(inks[name]), VISIONS[vision])) for name in names}
    distances = {(one, other): 100 * math.dist(seen[one], seen[other]) for one, other in combinations(names, 2)}
    assert {pair: round(found, 1) for pair, found in distances.items() if found < APART[names]} == {}


@pytest.mark.parametrize("look", ["light", "dark"])
def test_every_line_stands_out_from_its_ground(look: str) -> None:
    inks = inks_of(look)
    found = {name: contrast(inks[name], inks["surface"]) for name in SERIES}
    assert {name: round(value, 2) for name, value in found.items() if value < LEAST_CONTRAST} == {}


def inks_of(look: str) -> dict[str, str]:
    """The colours of the style sheet by name."""
    light, dark = SHEET.read_text(encoding="utf-8").split(':root[data-theme="dark"]', 1)
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light if look == "light" else dark.split("}", 1)[0]))


def linear(ink: str) -> Triple:
    """Its red, green and blue in linear light, from 0 to 1."""
    red, green, blue = (int(ink[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return _straight(red), _straight(green), _straight(blue)


def _straight(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def as_seen(light: Triple, vision: Matrix) -> Triple:
    """The same light as somebody with that vision sees it."""
    red, green, blue = (min(1.0, max(0.0, _dot(row, light))) for row in vision)
    return red, green, blue


def oklab(light: Triple) -> Triple:
    """Where a colour lies in Björn Ottosson's OKLab, in which distances are as they are seen."""
    cones = (
        (0.4122214708, 0.5363325363, 0.0514459929),
        (0.2119034982, 0.6806995451, 0.1073969566),
        (0.0883024619, 0.2817188376, 0.6299787005),
    )
    seen = [math.cbrt(_dot(row, light)) for row in cones]
    return (
        _dot((0.2104542553, 0.7936177850, -0.0040720468), seen),
        _dot((1.9779984951, -2.4285922050, 0.4505937099), seen),
        _dot((0.0259040371, 0.7827717662, -0.8086757660), seen),
    )


def contrast(one: str, other: str) -> float:
    """As WCAG counts it: 1 for the same, 21 for black on white."""
    low, high = sorted(_dot((0.2126, 0.7152, 0.0722), linear(ink)) for ink in (one, other))
    return (high + 0.05) / (low + 0.05)


def _dot(row: Sequence[float], values: Sequence[float]) -> float:
    return sum(one * other for one, other in zip(row, values, strict=True))
