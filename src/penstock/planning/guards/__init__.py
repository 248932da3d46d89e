"""What holds for the plan of every policy, a user's own too: limits, and tenants that are asked first."""
