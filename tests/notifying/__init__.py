"""Who is told of what."""
