"""What an engine holds of its jobs from round to round, in one place, which levers, starts and rounds share."""
