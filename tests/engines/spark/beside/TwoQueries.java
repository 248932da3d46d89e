import java.util.concurrent.TimeUnit;
import org.apache.spark.scheduler.Schedulable;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.streaming.Trigger;
import scala.Option;

/** A driver as somebody else has it: no Python, no word of penstock. It says twice a second how its queries stand. */
public final class TwoQueries {
    public static void main(String[] given) throws Exception {
        SparkSession spark = SparkSession.builder().appName("shop").getOrCreate();
        StreamingQuery[] queries = {started(spark, "fraud", given[0]), started(spark.newSession(), "clicks", given[0])};
        while (queries[0].isActive() && queries[1].isActive()) {
            for (StreamingQuery query : queries) {
                Option<Schedulable> pool = spark.sparkContext().getPoolForName(query.name());
                StreamingQueryProgress last = query.lastProgress();
                System.out.println(
                    query.name() + " " + (last == null ? "-1 0" : last.batchId() + " " + last.numInputRows())
                        + " " + (pool.isDefined() ? pool.get().weight() + " " + pool.get().minShare() : "none"));
            }
            TimeUnit.MILLISECONDS.sleep(500);
        }
    }

    private static StreamingQuery started(SparkSession spark, String name, String place) throws Exception {
        return spark.readStream().format("rate-micro-batch").option("rowsPerBatch", 400).option("numPartitions", 4).load()
            .selectExpr("value", "reflect('java.lang.Thread', 'sleep', 1L) AS slept")
            .writeStream().format("noop").queryName(name).trigger(Trigger.ProcessingTime("1 second"))
            .option("checkpointLocation", place + "/" + name).start();
    }
}
