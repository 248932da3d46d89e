"""The settings of the Henge policy, with the paper's numbers as defaults."""

from dataclasses import dataclass

from penstock.core.seen.capacity import CONGESTED_ABOVE
from penstock.core.units import non_negative, positive
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class HengeSettings:
    """Section numbers are those of the paper. Settings without one are ours."""

    capacity_threshold: float = CONGESTED_ABOVE  # share of time; an operator above it is congested (4.2)
    threads_per_excess: float = 10.0  # threads added per capacity threshold of excess (equation 4)
    # The same for jobs that share a pool of slots, as a share of the slots. Ten threads, or 23 for a job that is always
    # busy, would be all of eight slots however small the need. Ten are a quarter of the 40 cores in the paper.
    slots_per_excess: float = 0.25
    marginal_gain: float = 0.05  # a job that gained less than this share is blocklisted (4.3.1)
    blocklist_s: float = 3600.0  # time on the blocklist (4.3.1)
    reduction: float = 0.8  # share of the threads taken from un-congested operators (4.3.2)
    forget_fall: float = 0.05  # a fall by this share while Converged means that the workload changed (4.3.3)
    rounds_at_max: int = 4  # stable rounds at maximum before Converged (4.3.1)
    fresh_data_s: float = 300.0  # time with fresh metrics after an outage before acting again (7.5.2)
    # Rounds whose mean is compared with the mean of as many before. Utilities are stable if the two differ by at most
    # `quiet_within`. The paper waits until utilities quiesce, "a minute or so", and does not say how it decides that.
    # Latency and juice fluctuate from round to round, so single values are not compared. Six rounds of 10 s are that
    # minute, and juice's window.
    quiet_rounds: int = 3
    quiet_within: float = 0.01  # share of the maximum utility; smaller changes of the mean count as stable
    quiet_at_most_s: float = 180.0  # longest wait for stable utilities, so that noise cannot stop the search
    # A job that works off its backlog still shows the latency of the past, however good its new share is. So it is not
    # judged if the backlog will be gone within this time. The paper's queues are short; Kafka's are not. Meanwhile
    # others are helped.
    catch_up_s: float = 600.0
    catch_up_costs_s: float = 60.0  # limit for that wait, in seconds of the fleet's utility (a job worth 2/3: 90 s)
    # A fall of utility within this time after the last step is the step's late effect, if arrivals are the same. Then
    # the step is reverted. The paper blames every fall while Converged on the workload, without looking at it. Behind
    # long queues a harmful step shows only after it was judged.
    late_effect_s: float = 600.0
    same_arrivals_within: float = 0.25  # arrivals count as the same within this share of those at the last step
    # Share of utility by which a drop must exceed noise. Without it half of all harmless steps would look like drops.
    drop_within: float = 0.01

    def __post_init__(self) -> None:
        for name in ("capacity_threshold", "reduction", "marginal_gain", "forget_fall", "quiet_within"):
            share = positive(getattr(self, name), name)
            if share >= 1:
                raise ConfigError(name, share, "write a share between 0 and 1")
        for name in ("threads_per_excess", "slots_per_excess", "catch_up_costs_s"):
            positive(getattr(self, name), name)
        non_negative(self.drop_within, "drop_within")
        for name in ("rounds_at_max", "quiet_rounds"):
            if getattr(self, name) < 1:
                raise ConfigError(name, getattr(self, name), "write a whole number of rounds, at least 1")
