package handoff.conformance;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import handoff.ApiException;
import handoff.Client;
import handoff.Events;
import handoff.Job;
import handoff.KafkaEvents;
import handoff.RedisEvents;
import handoff.ReleaseException;
import handoff.Run;
import handoff.StepException;
import handoff.Worker;
import java.io.File;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import redis.clients.jedis.RedisClient;

/** Plays a case of the conformance suite with the SDK, and prints what came of it as JSON: Conformance CASE WORKFLOW KEY. */
public final class Conformance {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Duration MOST = Duration.ofMinutes(1);

    private final JsonNode scene;
    private final String workflow;
    private final String key;
    private final Client client = new Client();
    private final Semaphore begun = new Semaphore(0);
    private final Semaphore cancelled = new Semaphore(0);
    private final Map<String, Object> told = new LinkedHashMap<>();

    private Conformance(JsonNode scene, String workflow, String key) {
        this.scene = scene;
        this.workflow = workflow;
        this.key = key;
    }

    /** Plays it. */
    public static void main(String[] args) throws Exception {
        new Conformance(MAPPER.readTree(new File(args[0])), args[1], args[2]).play();
    }

    private void play() throws Exception {
        String grpc = System.getenv("HANDOFF_GRPC");
        Worker worker = Worker.builder(client)
                .grpc(grpc == null ? null : "http://" + grpc)
                .events(brokerEvents())
                .build();
        scene.path("jobs").properties().forEach(entry -> {
            AtomicInteger calls = new AtomicInteger();
            JsonNode actions = entry.getValue();
            String queue = scene.path("queues").path(entry.getKey()).asText(entry.getKey());
            worker.step(entry.getKey(), queue, job -> {
                begun.release();
                return act(job, actions.get(Math.min(calls.getAndIncrement(), actions.size() - 1)));
            });
        });
        Thread working = new Thread(() -> work(worker), "working");
        working.setDaemon(true);
        if (scene.has("jobs")) {
            working.start();
        }
        ask();
        if ("CANCELLED".equals(told.get("status"))) {
            told.put("worker_saw_it", await(cancelled));
        }
        worker.stop();
        working.join(MOST.toMillis());
        System.out.write(MAPPER.writeValueAsBytes(told));
        System.out.flush();
    }

    /** The broker that EVENTS names, or null. */
    private static Events brokerEvents() {
        String address = System.getenv().getOrDefault("EVENTS", "");
        String tenant = System.getenv().getOrDefault("TENANT", "");
        if (address.startsWith("kafka://")) {
            return new KafkaEvents(address.substring("kafka://".length()), tenant, Map.of());
        }
        return address.isEmpty() ? null : new RedisEvents(RedisClient.create(URI.create(address)), tenant);
    }

    private static void work(Worker worker) {
        try {
            worker.run();
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean await(Semaphore what) throws InterruptedException {
        return what.tryAcquire(MOST.toSeconds(), TimeUnit.SECONDS);
    }

    /** Does what the case says for this call of the step. */
    private Object act(Job job, JsonNode what) throws Exception {
        what.path("log").forEach(text -> job.log(text.asText()));
        what.path("variables").properties().forEach(entry -> job.setVariable(entry.getKey(), entry.getValue()));
        if (what.has("progress")) {
            job.heartbeat(what.get("progress"));
            Thread.sleep(1_000);
        }
        Thread.sleep((long) (what.path("seconds").asDouble() * 1_000));
        if (what.path("until_cancelled").asBoolean()) {
            job.awaitCancellation();
            cancelled.release();
            throw new IllegalStateException("nobody wants it");
        }
        if (what.path("release").asBoolean()) {
            throw new ReleaseException();
        }
        if (what.has("fail")) {
            JsonNode fail = what.get("fail");
            throw new StepException(
                    fail.path("code").asText(),
                    fail.path("message").asText(),
                    fail.path("retryable").asBoolean(),
                    MAPPER.convertValue(fail.get("details"), new TypeReference<Map<String, Object>>() {}));
        }
        if (what.has("raise")) {
            throw new IllegalStateException(what.get("raise").asText());
        }
        return what.path("echo").asBoolean() ? echo(job) : what.get("complete");
    }

    private static Map<String, Object> echo(Job job) {
        Map<String, Object> given = new LinkedHashMap<>();
        given.put("input", job.input());
        given.put("attempt", job.attempt());
        given.put("retries_remaining", job.retriesRemaining());
        given.put("progress", job.progress());
        given.put("has_key", !job.idempotencyKey().isEmpty());
        return given;
    }

    /** Does what the case says for whoever starts the run. */
    private void ask() throws Exception {
        Run run = null;
        for (JsonNode step : scene.path("client")) {
            String[] parts = step.asText().split(":", 2);
            switch (parts[0]) {
                case "start" -> run = client.start(workflow, scene.get("input"), key);
                case "start_again" -> {
                    told.put("same_run", client.start(workflow, scene.get("input"), key).id().equals(run.id()));
                }
                case "begun" -> await(begun);
                case "signal" -> client.signal(run.id(), parts[1], scene.get("payload"), "once");
                case "cancel" -> client.cancel(run.id(), parts[1]);
                case "wait" -> {
                    run = client.waitFor(run.id(), MOST);
                    told.put("status", run.status());
                    told.put("output", run.output());
                    told.put("error", run.error() == null ? null : run.error().code());
                }
                case "start_unknown" -> {
                    try {
                        client.start("there-is-none", Map.of());
                    } catch (ApiException refused) {
                        told.put("refused", List.of(refused.status(), refused.code()));
                    }
                }
                case "strange_token" -> {
                    try {
                        new Client(null, "hf_none").run(run.id());
                    } catch (ApiException refused) {
                        told.put("stranger", refused.status());
                    }
                }
                default -> throw new IllegalArgumentException(step.asText());
            }
        }
    }
}
