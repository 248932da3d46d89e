"""The words of the house. Frozen values that import nothing of ours but the errors.

tenant       whoever owns jobs and states intents for them
job          one streaming computation: a Spark query, a simulated topology
operator     a step of a job; the scalable unit of a job, with threads of its own or a share of slots
topology     the operators of a job and the edges between them
slot         a place where one task runs: a core of an executor, real or oversubscribed
weight       what a job's threads are where its operators share a pool: its part of all weights is its share
share        how much of the slots a job's weight stands for; it may use more, what others leave
intent       what a tenant wants of a job, with the utility of coming close
utility      what a job is worth now; its maximum is its priority
juice        the share of the source input that is processed
capacity     the share of time an operator is busy; above 0.3 it is congested, above 1 it used slots of others
snapshot     what an engine saw; view: the same, judged against the intents
outlook      what a policy that plans ahead expects of a job: arrivals, recovery time
prediction   what a decision expects of each tenant: latency, juice, utility; foretold, so that it can be checked
shortfall    what is said when no shares meet all intents
decision     what a policy wants done and why; move: one turn of one lever, from what to what
pair         two keys of consecutive stateful operators that met on one row
routing table  which keys live where (with locality-aware routing)
locality     the share of rows that go from one stateful operator to the next without leaving their server
"""
