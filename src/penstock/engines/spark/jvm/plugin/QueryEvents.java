package penstock;

import java.util.ArrayDeque;
import java.util.Queue;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * Hears the queries of every session of the application, and puts each that has a name into the pool of that name.
 *
 * Events are kept for whoever is attached, who fetches them: nothing waits for a penstock, and none that died is called.
 * Where Spark sets `spark.plugins` itself, as `spark-pipelines run` does, this class alone is the way in:
 * `--conf spark.sql.streaming.streamingQueryListeners=penstock.QueryEvents`, with FAIR set beside it.
 */
public final class QueryEvents extends StreamingQueryListener {
    private static final long serialVersionUID = 1L; // as its parent asks for; it is never sent
    private static final String LISTENERS = "spark.sql.streaming.streamingQueryListeners";
    private static final String POOL = "spark.scheduler.pool";
    private static final int AT_MOST = 4_000; // some kilobytes each
    private static final long FORGOTTEN_NS = 120_000_000_000L; // who fetches nothing for so long has died
    private static final char RECORD = '\u001e';
    private static final char FIELD = '\u001f';
    private static final Queue<String> EVENTS = new ArrayDeque<>();
    private static boolean heard;
    private static long fetchedNs;

    /** Spark makes one for each session. */
    public QueryEvents() {
        Gateway.trying("the gateway", () -> {
            if (SparkContext$.MODULE$.getActive().isDefined()) {
                SparkContext context = SparkContext$.MODULE$.getActive().get();
                Gateway.open(context, context.applicationId());
            }
        });
    }

    static void addTo(SparkConf conf) {
        String present = conf.get(LISTENERS, "");
        String ours = QueryEvents.class.getName();
        if (!present.contains(ours)) {
            conf.set(LISTENERS, present.isEmpty() ? ours : present + "," + ours);
        }
    }

    /** Keep events from now on. */
    static synchronized void listen() {
        EVENTS.clear();
        fetchedNs = System.nanoTime();
        heard = true;
    }

    /** Keep none. */
    static synchronized void ignore() {
        heard = false;
        EVENTS.clear();
    }

    /** Those since the last call, in one string: each over the bridge by itself would take a call. */
    static synchronized String fetch() {
        fetchedNs = System.nanoTime();
        String found = String.join(String.valueOf(RECORD), EVENTS);
        EVENTS.clear();
        return found;
    }

    /** Runs on the query's own thread, which keeps the pool for its life. A pool that somebody gave it stays. */
    @Override
    public void onQueryStarted(QueryStartedEvent event) {
        Gateway.trying("the pool of a query", () -> {
            SparkContext context = SparkContext$.MODULE$.getActive().get();
            if (event.name() != null && context.getLocalProperty(POOL) == null) {
                context.setLocalProperty(POOL, event.name());
            }
        });
        keep("started", event.runId(), event.timestamp(), event.name());
    }

    @Override
    public void onQueryProgress(QueryProgressEvent event) {
        keep("progressed", event.progress().json());
    }

    @Override
    public void onQueryIdle(QueryIdleEvent event) {
        keep("idled", event.runId(), event.timestamp());
    }

    @Override
    public void onQueryTerminated(QueryTerminatedEvent event) {
        keep("terminated", event.runId(), event.exception().isDefined() ? event.exception().get() : null);
    }

    private static synchronized void keep(Object... fields) {
        if (!heard) {
            return;
        }
        if (System.nanoTime() - fetchedNs > FORGOTTEN_NS) {
            ignore();
            return;
        }
        StringBuilder told = new StringBuilder();
        for (Object field : fields) {
            String text = field == null ? "" : field.toString().replace(RECORD, ' ').replace(FIELD, ' ');
            told.append(told.length() == 0 ? "" : String.valueOf(FIELD)).append(text);
        }
        if (EVENTS.size() >= AT_MOST) {
            EVENTS.remove();
        }
        EVENTS.add(told.toString());
    }
}
