"""Telling: a recorded run as a story in the terminal, and as a page."""
