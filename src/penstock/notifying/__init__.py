"""Who is told of what happens to tenants, and how: a message for each event, not one for each round."""
