"""What came of the nemesis, as a section of docs/results/chaos.md."""

import os
import time
from collections.abc import Sequence

from chaos_history import RECOVERED, RECOVERS_WITHIN_S, WELL, History, Law, Struck, recovered_s, wanted_share


def report(history: History, laws: Sequence[Law], seed: int, length: str, what: str) -> str:
    """The result as tables."""
    where = f"{os.cpu_count()} cores, load average {os.getloadavg()[2]:.0f} (15 minutes)"
    well = not any(law.breaches for law in laws)
    return "\n".join(
        [
            f"## Seed {seed}, {length}: {'all laws held' if well else '**broken**'}",
            "",
            f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, {where}, {what}, "
            f"{2 * len(history.struck)} faults in {len(history.struck)} pairs, "
            f"{len({held.epoch for held in history.held})} epochs of the lease, {len(history.cycles)} rounds recorded.",
            "",
            "| law | tried on | breaches |",
            "|---|---|---|",
            *(f"| {law.name} | {f'{law.tried:,}' if law.tried else 'nothing'} | {len(law.breaches)} |" for law in laws),
            "",
            f"| pair of faults | lasted | utility back to {100 * RECOVERED:.0f} % after |",
            "|---|---|---|",
            *(f"| {one.text} | {one.to_s - one.from_s:.0f} s | {_back(history, one)} |" for one in history.struck),
            *("" for _ in history.tables[:1]),
            *(f"- {one.text}" for one in history.tables),
            *("" for law in laws[:1] if not well),
            *(f"- {law.name}: {breach}" for law in laws for breach in law.breaches[:5]),
        ]
    )


def _back(history: History, struck: Struck) -> str:
    took_s = recovered_s(history, struck)
    if took_s is not None:
        return f"{took_s:.0f} s"
    if wanted_share(history, struck) is None:
        return f"not judged: there was less than {100 * WELL:.0f} % before"
    return "not judged: the run ended" if history.until_s < struck.to_s + RECOVERS_WITHIN_S else "never"
