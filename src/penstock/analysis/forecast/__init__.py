"""Forecasts of arrival rates: plain methods, judged on each job's own past, the best of them taken."""
