package penstock;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.management.ManagementFactory;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A py4j gateway into this driver: on loopback only, at a port and with a token that a file for its owner alone tells.
 *
 * Nothing that goes wrong here stops the driver: it is one line of its log.
 */
public final class Gateway {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    private static Gateway open;

    private final SparkContext context;
    private final Door server;
    private final Path file;

    private Gateway(SparkContext context, Door server, Path file) {
        this.context = context;
        this.server = server;
        this.file = file;
    }

    interface Deed {
        void done() throws Exception;
    }

    static void trying(String what, Deed deed) {
        try {
            deed.done();
        } catch (Throwable error) {
            LOG.warn("penstock cannot be let in, the driver goes on: {}: {}", what, error.toString());
        }
    }

    /** The gateway of this application, unless it is open. */
    static synchronized void open(SparkContext context, String application) {
        if (open != null && open.context == context) {
            return;
        }
        close();
        trying("the gateway", () -> {
            Entry entry = new Entry(context);
            String token = token();
            Door server = Door.of(entry, token);
            Thread starter = new Thread(() -> server.start(true), "penstock-gateway");
            starter.setDaemon(true); // and so are all threads that it starts: none keeps a driver alive
            starter.start();
            starter.join();
            int port = server.getListeningPort();
            if (port <= 0) {
                throw new IllegalStateException("no port to listen at");
            }
            Path file = fileFor(context, application);
            open = new Gateway(context, server, file);
            write(file, told(context, application, port, token));
            Runtime.getRuntime().addShutdownHook(new Thread(Gateway::close));
            LOG.info("penstock attach {}: lets a penstock beside this driver in, by {}", application, file);
        });
    }

    static synchronized void close() {
        Gateway closing = open;
        open = null;
        if (closing != null) {
            QueryEvents.ignore();
            trying("its end", () -> Files.deleteIfExists(closing.file));
            trying("its end", () -> closing.server.shutdown(true));
        }
    }

    private static String token() {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        StringBuilder text = new StringBuilder();
        for (byte one : random) {
            text.append(String.format("%02x", one));
        }
        return text.toString();
    }

    /** As `spark.penstock.attach` says; else in the user's folder for state: a driver of cron has none for what runs. */
    private static Path fileFor(SparkContext context, String application) {
        String given = context.conf().get("spark.penstock.attach", "");
        if (!given.isEmpty()) {
            return Paths.get(given).toAbsolutePath();
        }
        return folder().resolve("penstock").resolve("attach").resolve(application + ".json");
    }

    private static Path folder() {
        String state = System.getenv("XDG_STATE_HOME");
        String home = System.getenv("HOME");
        if (state != null && !state.isEmpty()) {
            return Paths.get(state);
        }
        return Paths.get(home == null ? System.getProperty("user.home") : home, ".local", "state");
    }

    private static Map<String, Object> told(SparkContext context, String application, int port, String token) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("application", application);
        told.put("name", context.appName());
        told.put("spark", context.version());
        told.put("pid", Long.parseLong(ManagementFactory.getRuntimeMXBean().getName().split("@")[0]));
        told.put("host", "127.0.0.1");
        told.put("port", port);
        told.put("token", token);
        return told;
    }

    /** Whole or not at all, and never readable by anybody else. */
    private static void write(Path file, Map<String, Object> told) throws Exception {
        Path part = file.resolveSibling("." + file.getFileName() + "." + told.get("pid"));
        Files.createDirectories(file.getParent(), only("rwx------"));
        Files.deleteIfExists(part);
        Files.newByteChannel(
            part, EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), only("rw-------")).close();
        Files.write(part, new ObjectMapper().writeValueAsBytes(told));
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static FileAttribute<?>[] only(String rights) {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        FileAttribute<?> attribute = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(rights));
        return posix ? new FileAttribute<?>[] {attribute} : new FileAttribute<?>[0];
    }

    /** What the other end calls by name. */
    public static final class Entry {
        private final SparkContext context;

        Entry(SparkContext context) {
            this.context = context;
        }

        public JavaSparkContext context() {
            return new JavaSparkContext(context);
        }

        /** The driver's own; null until it has one. None is made here: settings of its builder would be lost on it. */
        public SparkSession session() {
            return SparkSession.getDefaultSession().isDefined() ? SparkSession.getDefaultSession().get() : null;
        }

        public void listen() {
            QueryEvents.listen();
        }

        public void ignore() {
            QueryEvents.ignore();
        }

        public String fetch() {
            return QueryEvents.fetch();
        }
    }
}
