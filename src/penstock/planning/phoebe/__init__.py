"""Phoebe (Geldenhuys et al., 2022): scale-outs ahead of the load, so that every failure is recovered from in time."""
