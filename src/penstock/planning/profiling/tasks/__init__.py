"""Algorithm 1 of "Model-driven scheduling" as a pure search: from the trials that are finished to the next one."""
