"""What a run cost: the threads that jobs held, and the utility that was missing, and whose that was.

The page works the same out by itself (`Cost` in frontend/src/story.tsx), for the stretch that somebody has zoomed to:
asked of the server, each zoom would be a request.
"""

from collections.abc import Sequence
from itertools import pairwise

from penstock.core.naming import named
from penstock.core.run import Run
from penstock.telling.job_summary import JobSummary
from penstock.telling.words import number

_PAYS = 0.005  # of its utility that is missing, which is worth a word


def thread_seconds(run: Run) -> float:
    """Of all jobs together."""
    lengths = [later - now for now, later in pairwise(run.at_s)]
    each = (zip(job.threads, lengths, strict=False) for job in run.jobs)
    return sum(sum(threads * length for threads, length in held if threads) for held in each)


def cost_text(run: Run, jobs: Sequence[JobSummary], length_s: float, held_s: float) -> str:
    """In a sentence; the run lasted `length_s`, and its jobs held `held_s` thread-seconds."""
    lost = sum(
        (m - u) * (later - now)
        for u, m, now, later in zip(run.utility, run.could_have, run.at_s, run.at_s[1:], strict=False)
    )
    missing = number(lost / length_s if length_s > 0 else 0.0)
    return f"{_held(run, length_s, held_s)}{missing} utility was missing on average{_by_whom(jobs)}."


def _held(run: Run, length_s: float, held_s: float) -> str:
    """What jobs had. Threads do cost; a weight costs nothing by itself, the slots are there whoever has them."""
    if run.pool.weights:
        return ""
    if length_s <= 0:
        return "No time passed; "
    moves = [move for _, record in run.told for move in record.decision.thread_moves]
    moved = sum(abs(move.after - move.before) for move in moves)
    held = f"It cost {number(held_s / length_s)} threads on average ({number(held_s)} thread-seconds)"
    return f"{held}; decisions changed them by {moved} in all; "


def _by_whom(jobs: Sequence[JobSummary]) -> str:
    """Who paid: whose utility it was that was missing, the most first."""
    paid = [job for job in jobs if job.utility_share is not None and job.utility_share < 1.0 - _PAYS]
    paid.sort(key=lambda job: (-_lacked(job), job.name))
    told = named([f"{job.name} lacked {number(_lacked(job))} of its {number(job.max_utility)}" for job in paid])
    return f": {told}" if told else ""


def _lacked(job: JobSummary) -> float:
    return job.max_utility * (1.0 - (job.utility_share or 0.0))
