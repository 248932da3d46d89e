package penstock;

import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;
import py4j.ClientServerConnection;
import py4j.GatewayServer;
import py4j.JavaServer;
import py4j.Py4JPythonClientPerThread;
import py4j.Py4JServerConnection;
import py4j.PythonClient;

/**
 * Where py4j listens, with bounds on whoever has not said the token: any user of the machine can connect.
 *
 * Each connection takes a thread and a descriptor of the driver, and py4j reads a line however long it is.
 */
public final class Door extends JavaServer {
    private static final int STRANGERS = 64; // at once; who has the token says it with its first words
    private static final int WORDS = 4096; // bytes of a stranger's; those with a token are a hundred

    private final Queue<Guest> strangers = new ArrayDeque<>();

    /** At a free port of loopback. */
    public static Door of(Object entry, String token) {
        PythonClient back = new PythonClient(
            null, null, 0, GatewayServer.defaultAddress(), 0, TimeUnit.SECONDS, SocketFactory.getDefault(), null, true,
            0, token);
        Door door = new Door(entry, back, token);
        back.setGateway(door.getGateway());
        back.setJavaServer(door);
        return door;
    }

    private Door(Object entry, PythonClient back, String token) {
        super(entry, 0, 0, 0, null, back, token);
    }

    /** One thread accepts: nobody else comes here. */
    @Override
    protected Py4JServerConnection createConnection(py4j.Gateway gateway, Socket socket) throws IOException {
        strangers.removeIf(guest -> !guest.isStranger());
        while (strangers.size() >= STRANGERS) {
            strangers.remove().turnAway();
        }
        Guest guest = new Guest(gateway, socket, this, authToken);
        strangers.add(guest);
        guest.startServerConnection();
        return guest;
    }

    private static final class Guest extends ClientServerConnection {
        private final Socket own; // py4j forgets its own as it ends

        Guest(py4j.Gateway gateway, Socket socket, Door door, String token) throws IOException {
            super(gateway, socket, door.getCustomCommands(), (Py4JPythonClientPerThread) door.getCallbackClient(), door,
                0, token);
            own = socket;
            InputStream heard = new Heard(socket.getInputStream());
            reader = new BufferedReader(new InputStreamReader(heard, StandardCharsets.UTF_8));
        }

        boolean isStranger() {
            return !own.isClosed() && !authCommand.isAuthenticated();
        }

        void turnAway() {
            try {
                own.close(); // its thread finds it so, and ends
            } catch (IOException error) {
                // it has gone by itself
            }
        }

        private final class Heard extends FilterInputStream {
            private int bytes;

            Heard(InputStream in) {
                super(in);
            }

            @Override
            public int read(byte[] into, int at, int most) throws IOException {
                int found = super.read(into, at, most);
                if (found > 0 && !authCommand.isAuthenticated()) {
                    bytes += found;
                    if (bytes > WORDS) {
                        throw new IOException("so many words, and no token");
                    }
                }
                return found;
            }
        }
    }
}
