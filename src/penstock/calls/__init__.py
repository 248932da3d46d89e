"""What the command line does, as calls: each command is one, and prints nothing.

files       what files say, before anything starts: check, intents, plan
recorded    of runs that are recorded: explain, report, incident, diff, present
started     governing, in this process: run, attach, demo
submitted   a driver for each tenant
simulated   scenarios
advised     of runs that nobody governed
served      pages over a store, and a coordinator of many applications
measured    profile; loaded: load
control     asking a running controller
machines    clusters and brokers on this machine
"""
