#!/bin/sh
# penstock run through spark-submit, where clusters are reached that way (YARN, a site's own defaults and jars):
#   deploy/spark-submit.sh tenants.yaml --for 10m
# MASTER (default local[4]), SPARK_SUBMIT and PYSPARK_PYTHON choose the cluster, Spark and the interpreter.
set -eu
python=${PYSPARK_PYTHON:-python3}
home=$("$python" -c 'import pyspark, pathlib; print(pathlib.Path(pyspark.__file__).parent)')
main=$("$python" -c 'import importlib.util as u; print(u.find_spec("penstock.cli.main").origin)')
export PYSPARK_PYTHON="$python" SPARK_HOME="${SPARK_HOME:-$home}"
exec "${SPARK_SUBMIT:-$SPARK_HOME/bin/spark-submit}" \
    --master "${MASTER:-local[4]}" \
    --deploy-mode client \
    --conf spark.scheduler.mode=FAIR \
    "$main" run "$@" --master "${MASTER:-local[4]}"
