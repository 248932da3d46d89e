"""Applications of penstock's own: how their session is started, with their secrets and their log."""
