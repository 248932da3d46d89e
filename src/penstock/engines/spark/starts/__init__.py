"""Starts of jobs while others run: without waiting for their functions, and with a small batch first."""
