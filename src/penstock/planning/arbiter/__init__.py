"""The arbiter: shares and batch bounds of all jobs solved together.

On costs learnt from their batches; its parts, in the order of use:

    costs       what a row, a task and a batch of each job take, learnt with forgetting; `fitting` tells rows from tasks
    fleet       all jobs as arrays, as the prediction wants them; `objectives` are what their tenants ask for
    sharing     who has how many slots, and how much slower work is where cores are short
    horizon     batch after batch over the next seconds: latency, juice, backlog
    worth       what that is worth to each tenant
    outcome     the four above in one: what any shares and bounds would give
    search      the best shares and bounds; `alone` says at prices of slots and cores what is worth foretelling
    sparing     what is not tried while code is new; `in_a_hurry`, who is served first before anything is known
    shortfall   that nothing meets all intents, and what would
    learning    what the memory takes up of the batches since
    expecting   what is foretold, and how far it was off
    waiting     when the next turn may be, and how much it has to bring
    policy      the round: what is done of all that
"""
