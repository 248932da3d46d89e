"""A standalone Spark cluster on this machine, for trying things out and for tests: from the installed pyspark.

standalone     its master and its workers: started, known again, ended
hosts          networks of their own for its workers, with a bandwidth
secret         whose drivers may use it
class_archive  Spark's classes, archived once, so that a JVM starts sooner
"""
