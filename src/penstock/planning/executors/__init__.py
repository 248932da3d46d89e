"""Executors of many applications: who gets how many of those that the cluster has room for."""
