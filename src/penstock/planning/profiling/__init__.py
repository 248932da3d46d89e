"""Profiling as a search (Phoebe, section III-C): what to run next, decided; running it is somebody else's work."""
