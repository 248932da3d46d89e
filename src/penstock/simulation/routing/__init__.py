"""Locality-aware routing simulated: what tables achieve on windows of pairs, and what the network makes of it."""
