"""Pairs read from files and a table as a picture, for `penstock route`."""
