"""The settings of the Henge policy, with the paper's numbers as defaults."""

from dataclasses import dataclass

from penstock.core.capacity import CONGESTED_ABOVE
from penstock.core.units import non_negative, positive
from penstock.errors import ConfigError


@dataclass(frozen=True, slots=True)
class HengeSettings:
    """Section numbers are those of the paper; settings without one are ours, with the reason beside them."""

    capacity_threshold: float = CONGESTED_ABOVE  # share of time; an operator above it is congested (4.2)
    threads_per_excess: float = 10.0  # threads for each capacity threshold's worth of excess (equation 4)
    # The same where jobs share a pool of slots, as a share of them: ten threads, or 23 for a job that is busy all the
    # time, would be all of eight slots however small the need. Ten are a quarter of the 40 cores in the paper.
    slots_per_excess: float = 0.25
    marginal_gain: float = 0.05  # a job that gained less than this share is blocklisted (4.3.1)
    blocklist_s: float = 3600.0  # for so long (4.3.1)
    reduction: float = 0.8  # share of the threads taken from un-congested operators (4.3.2)
    forget_fall: float = 0.05  # a fall by this share while Converged means that the workload changed (4.3.3)
    rounds_at_max: int = 4  # quiet rounds at maximum before Converged (4.3.1)
    fresh_data_s: float = 300.0  # news needed after an outage before acting again (7.5.2)
    # How quiet is judged: the paper waits until utilities quiesce, "a minute or so", and does not say how it
    # tells. Latency and juice fluctuate from round to round, so single values are not compared: utilities
    # are quiet when the mean of the last three rounds is within 1 % of the maximum of the mean of the three
    # before. Six rounds of 10 s are that minute, and juice's window. A cluster that never rests is judged
    # after three minutes all the same, so that noise cannot stop the search.
    quiet_rounds: int = 3
    quiet_within: float = 0.01  # of the maximum utility; smaller changes of the mean are quiet
    quiet_at_most_s: float = 180.0  # after so long it is judged all the same
    # A job that works off its backlog has the latency of the past, however well its new share serves it: it is
    # not judged while the backlog will be gone within this time. The paper's queues are short; Kafka's are not.
    # What waiting costs bounds it, too: a minute of the whole fleet's utility, so that a job which is worth two
    # thirds of it is waited for 90 s and not ten minutes. Others are helped meanwhile.
    catch_up_s: float = 600.0
    catch_up_costs_s: float = 60.0  # of all utility: what waiting for it may cost at most
    # A fall this soon after the last step, with arrivals within this share of what they were, is the step's own
    # late effect: it is taken back. The paper blames every fall while Converged on the workload, which it does
    # not look at; behind long queues a step that does harm shows it only after it was judged.
    late_effect_s: float = 600.0
    same_arrivals_within: float = 0.25  # of the arrivals at the last step
    # A drop must exceed noise: without a tolerance half of all harmless steps would look like drops.
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
