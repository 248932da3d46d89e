"""What people see: the pages, the API behind them, and metrics for those who have dashboards already."""
