"""What went wrong and what was done, as people are told of it: once, and by each part for itself."""
