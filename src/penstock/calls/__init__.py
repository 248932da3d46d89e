"""What the command line does, as calls: each command is one, and prints nothing.

files       what files say, before anything starts: check, intents, plan
recorded    of runs that are recorded: explain, report, incident, diff, present
started     governing, in this process: run, attach, demo
supervised  the same in a process of its own, which is started again when it dies
submitted   a driver for each tenant; words: those of the command line, for such processes
simulated   scenarios
pictures    of what calls return
advised     of runs that nobody governed
served      pages over a store, and a coordinator of many applications
measured    profile; loaded: load
control     asking a running controller
machines    clusters and brokers on this machine
"""
