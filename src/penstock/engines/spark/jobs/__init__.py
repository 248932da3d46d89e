"""One job and its query: what is to run and when again, its start in a thread of its own, and what it has read."""
