"""Worlds that nobody chose: tenants, loads, cores and intents drawn by a seed, under FAIR, FIFO and the default policy.

    python benchmarks/drawn_worlds.py --worlds 100 [--first 0] [--interval 10] [--policies "fair,by worth,penstock"]

A policy that was made on some cases fits these. Here each world is drawn: 2 to 10 jobs that wait or burn cores, of one
to three stages with 2 to 200 tasks, at 50 to 180 % of what the slots can do, at even loads, with spikes or in waves, on
code that is cold or warm. Told are the utility under each policy and the worlds in which the default does worse than
FAIR, the worst first.
"""

import argparse
from collections.abc import Iterator
from statistics import mean, median

import numpy as np

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.engines.sim.microbatch import MicroBatchCluster, MicroBatchJob, MicroBatchStage
from penstock.simulation.twins import Fixed, Twin, run
from penstock.simulation.twins.cases import COLD, DRIVER_NOISE, NOISE

SECONDS = 240
WORSE = 0.01  # of the maximum utility: less is chance


def drawn_world(seed: int, interval_s: float) -> Twin:
    """The world of that seed."""
    random = np.random.default_rng(seed)
    slots = int(random.choice([2, 4, 8, 16, 24]))
    cores = max(1, int(slots * random.choice([0.5, 1.0, 1.0])))
    names = [f"t{place}" for place in range(int(random.integers(2, 11)))]
    load = float(random.uniform(0.5, 1.8))
    parts = random.dirichlet(np.full(len(names), 2.0)) * load
    jobs, intents = [], {}
    for name, part in zip(names, parts, strict=True):
        job = _drawn_job(random, name, float(part), slots, cores)
        jobs.append(job)
        intents[name] = _drawn_intent(random, job)
    cluster = MicroBatchCluster(
        slots,
        cores,
        noise=NOISE,
        driver_noise=DRIVER_NOISE,
        slowness=COLD if random.random() < 0.5 else (),
        window_s=6.0 * interval_s,
    )
    wants = f"{len(names)} jobs, {slots} slots, {cores} cores, {load:.2f}"
    return Twin(
        f"{seed}: {wants}",
        cluster,
        tuple(jobs),
        intents,
        SECONDS,
        govern_from_s=interval_s,
        interval_s=interval_s,
        measure_from_s=20.0,
    )


def _drawn_job(random: np.random.Generator, name: str, part: float, slots: int, cores: int) -> MicroBatchJob:
    """A job whose rows want that part of what slots (it waits) or cores (it burns them) can do."""
    burns = random.random() < 0.5
    row_s = float(10 ** random.uniform(-3.5, -1.5))
    tasks = int(random.choice([2, 4, 8, 12, 32, 200], p=[0.15, 0.3, 0.2, 0.2, 0.1, 0.05]))
    of_rows = (
        {"cpu_s_per_row": row_s, "wait_s_per_row": 0.0} if burns else {"cpu_s_per_row": 0.0, "wait_s_per_row": row_s}
    )
    stages = [MicroBatchStage("work", tasks, task_overhead_s=0.005, **of_rows)]
    for place in range(int(random.integers(0, 3))):
        each_s = float(random.choice([0.005, 0.02, 0.1])) if tasks <= 32 else 0.005
        stages.append(MicroBatchStage(f"more{place}", tasks, 0.0, 0.0, task_overhead_s=0.005, task_cpu_s=each_s))
    rate = part * (cores if burns else slots) / row_s
    shape = random.choice(["even", "spike", "wave"], p=[0.6, 0.2, 0.2])
    seconds = np.arange(SECONDS)
    rates = np.full(SECONDS, rate)
    if shape == "spike":
        rates[SECONDS // 3 : SECONDS // 2] *= float(random.uniform(1.5, 3.0))
    elif shape == "wave":
        rates *= 1.0 + 0.5 * np.sin(2.0 * np.pi * (seconds / SECONDS + random.random()))
    bounded = random.random() < 0.3
    return MicroBatchJob(
        name=name,
        stages=tuple(stages),
        arrivals=np.maximum(1.0, np.round(rates)),
        trigger_s=float(random.choice([0.0, 1.0, 2.0, 5.0, 10.0], p=[0.4, 0.2, 0.2, 0.1, 0.1])),
        source_step_s=1.0,
        batch_overhead_s=float(random.uniform(0.05, 0.4)),
        commit_s=float(random.uniform(0.02, 0.2)),
        driver_cpu_share=0.6,
        max_rows_per_batch=max(1, round(float(random.uniform(1.0, 5.0)) * rate)) if bounded else None,
    )


def _drawn_intent(random: np.random.Generator, job: MicroBatchJob) -> Intent:
    """Of seconds that its trigger allows, or of a share of the input; a few are worth much."""
    utility = float(random.choice([5.0, 10.0, 40.0], p=[0.3, 0.5, 0.2]))
    if random.random() < 0.35:
        return Intent(Juice(float(random.choice([0.6, 0.8, 0.9])), utility=utility))
    target_s = round(float((1.0 + job.trigger_s) * random.uniform(1.0, 8.0)), 1)
    return Intent(Latency(f"{target_s}s", utility=utility))


def judged(worlds: range, interval_s: float, policies: list[str]) -> Iterator[tuple[Twin, dict[str, float], int]]:
    """Each world's utility under each policy, and how many decisions the default made."""
    for seed in worlds:
        twin = drawn_world(seed, interval_s)
        results = {policy: run(twin, _decider(twin, policy), seed) for policy in policies}
        yield twin, {policy: one.utility_share for policy, one in results.items()}, len(results[policies[-1]].decisions)


def _decider(twin: Twin, policy: str) -> str | Fixed:
    """The policy of that name; `by worth`: slots in proportion to what tenants are worth, from the first second on."""
    if policy != "by worth":
        return policy
    worth = {name: intent.max_utility for name, intent in twin.intents.items()}
    part = twin.cluster.slots / sum(worth.values())
    return Fixed({name: max(1, round(part * value)) for name, value in worth.items()})


def main() -> None:
    """Print what came, world by world, and in all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--worlds", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--interval", type=float, default=10.0, help="seconds between rounds; windows are six of them")
    parser.add_argument("--policies", default="fifo,fair,penstock", help="the last one is the one that is judged")
    options = parser.parse_args()
    policies = options.policies.split(",")
    found = []
    for twin, shares, decisions in judged(
        range(options.first, options.first + options.worlds), options.interval, policies
    ):
        found.append((twin.name, shares))
        told = "  ".join(f"{policy} {share:.3f}" for policy, share in shares.items())
        print(f"{twin.name:44} {told}  {decisions} decisions", flush=True)
    judged_one, others = policies[-1], policies[:-1]
    for policy in policies:
        print(f"{policy}: mean {mean(shares[policy] for _, shares in found):.3f}")
    for other in others:
        gains = [shares[judged_one] - shares[other] for _, shares in found]
        worse = sorted((gain, name) for gain, (name, _) in zip(gains, found, strict=True) if gain < -WORSE)
        better = sum(gain > WORSE for gain in gains)
        print(
            f"against {other}: median {median(gains):+.3f}; better in {better}, worse in {len(worse)} of {len(found)}"
        )
        for gain, name in worse[:10]:
            print(f"    {gain:+.3f}  {name}")


if __name__ == "__main__":
    main()
