"""A Kubernetes on this machine, for trying things out and for tests: its real control plane, and nodes that are ours.

control_plane   a Go module: etcd, API server, scheduler and controllers as one program
building        the program, built with Go the first time and kept
configuration   what each part is told: certificates, who may ask, where it listens; and what Spark is told
nodes           what runs pods: Spark's executors, as processes
cluster         all of it: started, known again, ended
"""
