"""What all that governs has in common, whatever world it governs: one assembly."""
