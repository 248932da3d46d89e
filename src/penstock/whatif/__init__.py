"""What if: the present as a simulated cluster, and the same arrivals again under other settings."""
