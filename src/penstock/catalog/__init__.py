"""What ships with penstock for planning: models of tasks, DAGs, and machines with their prices, as YAML files."""
