"""A world of many applications: each is governed by an agent of its own, and told here how many executors it may hold.

wire            what agents and coordinator say to one another
patches         the difference between two states: what did not change is not said again
conversation    the agent's side of it, without any input or output
book            the coordinator's side: who reported what, what each was promised
promises        who may be promised how many of the executors there are
cluster         what there is: a port, with an adapter for each cluster manager
engine          all of it as an engine for the loop
"""
