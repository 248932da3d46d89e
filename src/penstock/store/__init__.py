"""Remembering: what was seen, decided and done, in memory, in SQLite or in PostgreSQL."""
