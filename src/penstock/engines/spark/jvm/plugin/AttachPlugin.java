package penstock;

import java.util.Collections;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Lets a penstock beside the driver in: `--conf spark.plugins=penstock.AttachPlugin`. Executors have no part in it.
 *
 * The jar must be on the driver's class path. With --jars alone only some threads find its classes: a session that
 * another thread makes (in a pool of its own, or of Spark Connect) would fail for want of the listener.
 */
public final class AttachPlugin implements SparkPlugin {
    @Override
    public DriverPlugin driverPlugin() {
        return new Driver();
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return null;
    }

    private static final class Driver implements DriverPlugin {
        private SparkContext context;
        private boolean heard;

        /** Spark makes its scheduler and its sessions after this: both read what is set here. */
        @Override
        public Map<String, String> init(SparkContext context, PluginContext plugin) {
            this.context = context;
            Gateway.trying("its jar is to be on the driver's class path, too (--driver-class-path)", () -> {
                Class.forName(QueryEvents.class.getName(), false, ClassLoader.getSystemClassLoader());
                if (!context.conf().contains("spark.scheduler.mode")) {
                    context.conf().set("spark.scheduler.mode", "FAIR"); // under FIFO no share can be given
                }
                QueryEvents.addTo(context.conf());
                heard = true;
            });
            return Collections.emptyMap();
        }

        /** The first call in which the application has its id. */
        @Override
        public void registerMetrics(String application, PluginContext plugin) {
            if (heard) {
                Gateway.open(context, application);
            }
        }

        @Override
        public void shutdown() {
            Gateway.close();
        }
    }
}
