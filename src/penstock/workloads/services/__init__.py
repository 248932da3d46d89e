"""The services that two of the tasks call, started on this machine: objects over HTTP, records in PostgreSQL."""
