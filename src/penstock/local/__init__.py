"""What is started on this machine: processes that are known again and ended by their id.

processes    a process as the kernel tells of it: started, known again whoever asks, ended
following    a process that does not outlive the one that started it
allowance    the memory and the cores that this process may use
state_file   what a command started, noted so that another command ends exactly that
cutting      METIS, in a process of its own
java         the Java that runs here
spark        a standalone cluster, its hosts with networks of their own, its secret; an archive of Spark's classes
yarn, kubernetes, kafka
             the same of a YARN, of a Kubernetes and of a broker, with the jars or the program that they are made of
postgres     a PostgreSQL server
"""
