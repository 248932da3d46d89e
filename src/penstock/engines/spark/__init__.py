"""The world as real Spark: one application, one FAIR pool for each tenant's query."""
