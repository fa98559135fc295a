package handoff;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClientTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ANSWER = "{\"id\":\"r\",\"status\":\"RUNNING\",\"kept\":false}";

    @Test
    void aSignalAndAVerbNameAnItem() throws Exception {
        AtomicReference<String> path = new AtomicReference<>();
        AtomicReference<JsonNode> body = new AtomicReference<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            path.set(exchange.getRequestURI().getPath());
            body.set(JSON.readTree(exchange.getRequestBody()));
            byte[] answer = ANSWER.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        try {
            Client client = new Client("http://127.0.0.1:" + server.getAddress().getPort(), "token");
            JsonNode sent = client.signal("r", "paid", 1, "s", Map.of("child", "c", "index", 2, "all", true));
            assertEquals("/runs/r/signals", path.get());
            assertEquals(JSON.readTree("{\"name\":\"paid\",\"signal_id\":\"s\",\"payload\":1,\"child\":\"c\",\"index\":2,\"all\":true}"), body.get());
            assertEquals(false, sent.get("kept").asBoolean());
            assertEquals("RUNNING", client.act("r", "m", "retry", Map.of("index", 1)).status());
            assertEquals("/runs/r/steps/m/retry", path.get());
            assertEquals(JSON.readTree("{\"index\":1}"), body.get());
        } finally {
            server.stop(0);
        }
    }
}
