"""Models of a job learnt from its profile and from its service: how fast it can be, how late it will be."""
