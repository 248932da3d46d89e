"""The levers of a Spark application: each tells how it stands, and turns. See core/levers.py for what they are."""
