"""What is known beyond that: models, forecasts and tables, and what is foretold by them."""
