"""What is asked: intents, budgets and limits of tenants, and what people ask of a running controller."""
