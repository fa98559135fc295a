package handoff;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** How reports on jobs reach Handoff. Its methods throw {@link ApiException} and {@link NoResponseException}. */
interface Reporter {
    /** Sends reports once, and waits so long for the answer, whose {@code results} has one for each. */
    Client.Answer report(String verb, List<Map<String, Object>> items, Duration most) throws InterruptedException;

    /** Gives a job back. */
    JsonNode release(Job job) throws InterruptedException;

    /** Reports over REST. */
    record Rest(Client client) implements Reporter {
        @Override
        public Client.Answer report(String verb, List<Map<String, Object>> items, Duration most) throws InterruptedException {
            return client.once("POST", "/jobs/" + verb, Map.of("items", items), null, most, new CompletableFuture<>());
        }

        @Override
        public JsonNode release(Job job) throws InterruptedException {
            // Saying it twice does no harm.
            String path = "/jobs/" + Client.part(job.id()) + "/release";
            return client.call("POST", path, Map.of("lease_token", job.leaseToken()), UUID.randomUUID().toString(), Client.TRIES);
        }
    }
}
