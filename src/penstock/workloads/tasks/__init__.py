"""The five tasks of "Model-driven scheduling" (section 5.2, table 1) as operators that run on Spark."""
