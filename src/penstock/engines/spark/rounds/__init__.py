"""What an engine does at its opening, in each round and between two: hear, look, carry out steps, keep in order."""
