"""Every scenario with its claims and what came out, as a table.

python benchmarks/scenarios.py [--out docs/results/scenarios.md]
"""

import argparse
import platform
import time
from collections.abc import Iterator
from pathlib import Path

from penstock.simulation.expect import Finding, judge
from penstock.simulation.reading import read_scenario
from penstock.simulation.run import simulate

ROOT = Path(__file__).parents[1] / "scenarios"


def judged(path: Path) -> tuple[str, list[Finding]]:
    """The scenario's name and what became of its claims."""
    variants = read_scenario(path)
    first = variants[0].scenario
    runs = [simulate(variant, policy, path.parent) for variant in variants for policy in first.policies]
    return first.name, judge(first.expect, runs)


def rows(paths: list[Path]) -> Iterator[str]:
    """A row for each claim."""
    for path in paths:
        name, findings = judged(path)
        for finding in findings:
            figure = f"{finding.figure:.4g}" if isinstance(finding.figure, float) else str(finding.figure)
            sign = "holds" if finding.holds else "**not reproduced**" if finding.not_reproduced else "**FAILS**"
            reason = f" {finding.not_reproduced}" if finding.not_reproduced else ""
            yield f"| {name} | {finding.claim} | {finding.wanted} | {figure} | {sign}.{reason} |"


def main() -> None:
    """Run them all and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="write the table to this file too")
    options = parser.parse_args()
    paths = [p for p in sorted(ROOT.rglob("*.yaml")) if p.read_text(encoding="utf-8").startswith("name:")]
    paths = [p for p in paths if not p.stem.endswith("-traces")]  # their data is not in the repository
    found = list(rows(paths))
    hold = sum(row.endswith("| holds. |") for row in found)
    table = [
        "# Scenarios and their claims",
        "",
        f"**Short answer ({time.strftime('%Y-%m-%d')}):** {hold} of {len(found)} claims hold. Of each of the other "
        f"{len(found) - hold} the last column says why.",
        "",
        f"Run it again: `python benchmarks/scenarios.py`. Simulated, with Python "
        f"{platform.python_version()}: the same on any machine.",
        "",
        "| scenario | claim | target | measured | |",
        "|---|---|---|---|---|",
        *found,
        "",
    ]
    print("\n".join(table))
    if options.out is not None:
        options.out.write_text("\n".join(table), encoding="utf-8")


if __name__ == "__main__":
    main()
