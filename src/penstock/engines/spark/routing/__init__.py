"""Routing on real Spark: which state partition a key goes to, where that partition lives, and how both change."""
