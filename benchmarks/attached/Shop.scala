package shop

import org.apache.spark.sql.SparkSession

/** The same queries in Scala: no Python, no word of penstock. */
object Main {
  def main(given: Array[String]): Unit = {
    val spark = SparkSession.builder().appName("shop").getOrCreate()
    for ((name, rate, rowMs) <- Seq(("fraud", 100, 4), ("reports", 500, 6), ("clicks", 500, 4))) {
      val rows = spark.readStream.format("rate").option("rowsPerSecond", rate).option("numPartitions", 4).load()
      val waited = rows.selectExpr("*", s"reflect('java.lang.Thread', 'sleep', ${rowMs}L) AS waited")
      waited.writeStream.format("noop").queryName(name).start()
    }
    spark.streams.awaitAnyTermination()
  }
}
