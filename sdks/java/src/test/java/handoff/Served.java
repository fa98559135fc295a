package handoff;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** A server that answers as a Handoff whose clock goes otherwise than ours: one job, and words on it. */
final class Served implements AutoCloseable {
    static final String RENEWED = "{\"results\":[{\"id\":\"j\",\"applied\":true,\"lease_expires_at\":\"EXPIRES\"}]}";
    private static final String JOB = "{\"id\":\"j\",\"node\":\"n\",\"lease_token\":\"l\",\"lease_expires_at\":\"EXPIRES\"}";

    private final AtomicBoolean isPolled = new AtomicBoolean();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ServerSocket listening;
    private final Duration ahead;
    private final Duration lease;
    private final Function<String, String> answer;

    /** A server that is so far ahead and leases for so long; EXPIRES in an answer to a path is the end of a lease. */
    Served(Duration ahead, Duration lease, Function<String, String> answer) throws IOException {
        this.ahead = ahead;
        this.lease = lease;
        this.answer = answer;
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        threads.execute(this::serve);
    }

    Worker.Builder worker() {
        return Worker.builder(new Client("http://127.0.0.1:" + listening.getLocalPort(), "token"));
    }

    private void serve() {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                threads.execute(() -> handle(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void handle(Socket socket) {
        try (socket) {
            String path = pathOf(socket.getInputStream());
            Instant now = Instant.now().plus(ahead);
            String said = path.equals("/jobs/poll") ? "{\"jobs\":[" + (isPolled.getAndSet(true) ? "" : JOB) + "]}" : answer.apply(path);
            String body = said.replace("EXPIRES", now.plus(lease).toString());
            String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(now.atOffset(ZoneOffset.UTC));
            String head = "HTTP/1.1 200 OK\r\nDate: " + date + "\r\nConnection: close\r\nContent-Length: " + body.length() + "\r\n\r\n";
            socket.getOutputStream().write((head + body).getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().flush();
        } catch (IOException gone) {
            // Whoever asked has left.
            return;
        }
    }

    /** Reads all of a request. */
    private static String pathOf(InputStream request) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int one = request.read();
            if (one < 0) {
                throw new IOException("It is over.");
            }
            head.append((char) one);
        }
        for (String line : head.toString().split("\r\n")) {
            if (line.toLowerCase().startsWith("content-length:")) {
                request.readNBytes(Integer.parseInt(line.substring(15).strip()));
            }
        }
        return head.toString().split(" ")[1];
    }

    @Override
    public void close() throws IOException {
        listening.close();
        threads.shutdownNow();
    }
}
