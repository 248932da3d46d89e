"""Scenarios with their claims and what came out, as a table; in a page only their rows and the count are renewed.

python benchmarks/scenarios.py [scenarios/phoebe/ads.yaml ...] [--page docs/results/scenarios.md]
"""

import argparse
import platform
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from penstock.simulation.checking import check_scenario
from penstock.simulation.expect import Finding, judge
from penstock.simulation.run import simulate

ROOT = Path(__file__).parents[1] / "scenarios"
HEAD = "| scenario | claim | target | measured | |\n|---|---|---|---|---|\n"
HOLDS, MISSED, FAILS = "holds.", "**not reproduced**.", "**FAILS**."
_ANSWER = re.compile(r"\*\*Short answer \([\d-]+\):\*\* \d+ of \d+ claims hold\. Of each of the other \d+")


def scenario_files() -> list[Path]:
    """All scenarios whose data is in the repository."""
    files = (path for path in ROOT.rglob("*.yaml") if not path.stem.endswith("-traces"))
    return [path for path in sorted(files) if path.read_text(encoding="utf-8").startswith("name:")]


def judged(path: Path) -> tuple[str, list[Finding]]:
    """The scenario's name and what became of its claims."""
    variants = check_scenario(path)
    first = variants[0].scenario
    runs = [simulate(variant, policy, path.parent) for variant in variants for policy in first.policies]
    return first.name, judge(first.expect, runs)


def row(name: str, finding: Finding) -> str:
    """A claim's line in the table."""
    figure = f"{finding.figure:.4g}" if isinstance(finding.figure, float) else str(finding.figure)
    sign = HOLDS if finding.holds else MISSED if finding.not_reproduced else FAILS
    verdict = f"{sign} {finding.not_reproduced}" if finding.not_reproduced else sign
    return f"| {name} | {finding.claim} | {finding.wanted} | {figure} | {verdict} |"


def rows_of(page: str) -> dict[str, list[str]]:
    """The table's lines by scenario."""
    found: dict[str, list[str]] = {}
    for line in page.partition(HEAD)[2].splitlines():
        if line.startswith("| "):
            found.setdefault(line.split(" | ")[0].removeprefix("| "), []).append(line)
    return found


def renewed(page: str, found: Mapping[str, Sequence[str]], day: str) -> str:
    """The page with these scenarios' rows in place of what it had of them, and the claims counted again."""
    rows = {**rows_of(page), **found}
    table = [line for name in sorted(rows) for line in rows[name]]
    hold = sum(line.endswith(f"| {HOLDS} |") for line in table)
    counted = f"{hold} of {len(table)} claims hold. Of each of the other {len(table) - hold}"
    said = _ANSWER.sub(f"**Short answer ({day}):** {counted}", page.partition(HEAD)[0])
    return "\n".join([said + HEAD.rstrip("\n"), *table, ""])


def _told(paths: Sequence[Path]) -> Iterator[tuple[str, list[str]]]:
    for path in paths:
        name, findings = judged(path)
        rows = [row(name, finding) for finding in findings]
        print("\n".join(rows), flush=True)
        yield name, rows


def main() -> None:
    """Run them and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", type=Path, help="those to run; all if none is named")
    parser.add_argument("--page", type=Path, help="renew their rows in this page")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}\n{HEAD}", end="")
    found = dict(_told(options.scenarios or scenario_files()))
    if options.page is not None:
        page = options.page.read_text(encoding="utf-8")
        options.page.write_text(renewed(page, found, time.strftime("%Y-%m-%d")), encoding="utf-8")


if __name__ == "__main__":
    main()
