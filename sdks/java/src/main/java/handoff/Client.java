package handoff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls the API. It may be used by many threads at once. Its methods throw {@link ApiException} where Handoff refuses,
 * {@link NoResponseException} where nobody answers.
 */
public final class Client {
    static final Duration READ = Duration.ofSeconds(30);
    static final int TRIES = 5;
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final double MOST_ASKED = 60; // seconds: nobody waits for longer because the other side asks for it
    private static final Duration FIRST_LOOK = Duration.ofMillis(50);
    private static final Duration LAST_LOOK = Duration.ofSeconds(2);

    private final String url;
    private final String token;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT).build();

    /** A client as {@code HANDOFF} and {@code TOKEN} of the environment say. */
    public Client() {
        this(null, null);
    }

    /**
     * A client for the API at an address (such as {@code http://127.0.0.1:8000/api/v1}) with a token; where one is null,
     * {@code HANDOFF} or {@code TOKEN} of the environment says it.
     */
    public Client(String url, String token) {
        String address = url == null ? System.getenv("HANDOFF") : url;
        this.token = token == null ? System.getenv("TOKEN") : token;
        if (address == null || address.isEmpty() || this.token == null || this.token.isEmpty()) {
            throw new IllegalArgumentException(
                    "Say where Handoff is and with which token: by arguments, or HANDOFF and TOKEN.");
        }
        this.url = address.replaceAll("/+$", "");
    }

    String token() {
        return token;
    }

    /** Starts a run. */
    public Run start(String workflow, Object input) throws InterruptedException {
        return start(workflow, input, null);
    }

    /** Starts a run; with a business key that the workflow has a run of, it gives that one. */
    public Run start(String workflow, Object input, String businessKey) throws InterruptedException {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("workflow", workflow);
        body.put("input", input);
        if (businessKey != null) {
            body.put("business_key", businessKey);
        }
        return new Run(call("POST", "/runs", body));
    }

    /** A run as it stands. */
    public Run run(String id) throws InterruptedException {
        return new Run(call("GET", "/runs/" + part(id), null));
    }

    /** The run when it has ended; it is looked at less and less often. Throws TimeoutException where it has not by then. */
    public Run waitFor(String id, Duration most) throws InterruptedException, TimeoutException {
        long until = System.nanoTime() + most.toNanos();
        for (Duration pause = FIRST_LOOK; ; pause = shorter(pause.multipliedBy(3).dividedBy(2), LAST_LOOK)) {
            Run run = run(id);
            if (run.hasEnded()) {
                return run;
            }
            Duration left = Duration.ofNanos(until - System.nanoTime());
            if (left.isNegative() || left.isZero()) {
                throw new TimeoutException("The run " + id + " is " + run.status() + ".");
            }
            Thread.sleep(shorter(Pause.jittered(pause), left).toMillis() + 1);
        }
    }

    /** Sends a signal with a payload to a run. */
    public void signal(String run, String name, Object payload) throws InterruptedException {
        signal(run, name, payload, UUID.randomUUID().toString());
    }

    /** Sends a signal to a run; one with the same id counts once. */
    public void signal(String run, String name, Object payload, String id) throws InterruptedException {
        signal(run, name, payload, id, Map.of());
    }

    /**
     * Sends a signal to a run; of several waits in the run and the runs below it the oldest takes it. {@code target} restricts it
     * to those of a run below ({@code child}) or of an item ({@code index}), or sends it to {@code all}. Gives what became of it.
     */
    public JsonNode signal(String run, String name, Object payload, String id, Map<String, ?> target) throws InterruptedException {
        Map<String, Object> body = new LinkedHashMap<>(target);
        body.put("name", name);
        body.put("signal_id", id);
        body.put("payload", payload);
        return call("POST", "/runs/" + part(run) + "/signals", body);
    }

    /**
     * Does a verb to a step of a run: retry, skip, cancel, pause, unpause or resume. {@code options} may have the {@code index} of an
     * item, {@code output} (what a skipped one counts as giving) and {@code reason}. Gives the run as it stands then.
     */
    public Run act(String run, String node, String verb, Map<String, ?> options) throws InterruptedException {
        return new Run(call("POST", "/runs/" + part(run) + "/steps/" + part(node) + "/" + part(verb), options));
    }

    /** Cancels a run, with a reason or null; what runs in it is awaited. */
    public void cancel(String run, String reason) throws InterruptedException {
        call("POST", "/runs/" + part(run) + "/cancel", reason == null ? Map.of() : Map.of("reason", reason));
    }

    /**
     * Any call of the API: the path is below the client's address, the body (null for none) and the answer are JSON. Reading
     * is tried again where that may help, and so is a POST, by an idempotency key of its own.
     */
    public JsonNode call(String method, String path, Object body) throws InterruptedException {
        String key = method.equals("POST") ? UUID.randomUUID().toString() : null;
        return call(method, path, body, key, TRIES);
    }

    /** As above, with a key (or null) that what is sent twice is done once by, and so many tries. */
    JsonNode call(String method, String path, Object body, String key, int tries) throws InterruptedException {
        boolean isSafe = method.equals("GET") || key != null;
        for (int done = 0; ; done++) {
            try {
                return once(method, path, body, key, READ, new CompletableFuture<>()).body();
            } catch (HandoffException failure) {
                if (done + 1 >= tries || !mayRepeat(failure, isSafe)) {
                    throw failure;
                }
                Thread.sleep(Pause.after(failure, done).toMillis());
            }
        }
    }

    /** An answer, and when it was given by the server's clock; null where the server doesn't say. */
    record Answer(JsonNode body, Instant date) {}

    /** One try, for so long at most; it is broken off when the end comes, with a CancellationException. */
    Answer once(String method, String path, Object body, String key, Duration most, CompletableFuture<Void> end)
            throws InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Authorization", "Bearer " + token)
                .header("User-Agent", "handoff-sdk-java");
        if (key != null) {
            request.header("Idempotency-Key", key);
        }
        if (body == null) {
            request.method(method, BodyPublishers.noBody());
        } else {
            request.header("Content-Type", "application/json").method(method, BodyPublishers.ofByteArray(Json.bytes(body)));
        }
        CompletableFuture<HttpResponse<byte[]>> answer = http.sendAsync(request.build(), BodyHandlers.ofByteArray());
        try {
            CompletableFuture.anyOf(answer, end).get(most.toMillis(), TimeUnit.MILLISECONDS);
            if (!answer.isDone()) {
                throw new CancellationException();
            }
            HttpResponse<byte[]> told = answer.get();
            if (told.statusCode() >= 300) {
                throw refusal(told);
            }
            return new Answer(Json.read(told.body()), told.headers().firstValue("Date").map(Client::date).orElse(null));
        } catch (TimeoutException late) {
            throw new NoResponseException("There was no answer within " + most.toSeconds() + " s.", true, late);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            boolean isUnsent = cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
            throw new NoResponseException(cause.toString(), !isUnsent, cause);
        } catch (IOException strange) {
            throw new NoResponseException("The answer is no JSON.", true, strange);
        } finally {
            answer.cancel(true);
        }
    }

    private static ApiException refusal(HttpResponse<byte[]> told) {
        JsonNode body;
        try {
            body = Json.read(told.body());
        } catch (IOException strange) {
            // A proxy answers otherwise: then there is only the status.
            body = NullNode.instance;
        }
        JsonNode error = body.path("error");
        String code = error.path("code").asText("");
        return new ApiException(
                told.statusCode(),
                code.isEmpty() ? "no_code" : code,
                error.path("message").asText("The answer has the status " + told.statusCode() + "."),
                error.path("field").textValue(),
                body.path("request_id").textValue(),
                told.headers().firstValue("Retry-After").map(Client::seconds).orElse(Duration.ZERO));
    }

    private static Instant date(String text) {
        try {
            return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
        } catch (DateTimeParseException strange) {
            return null;
        }
    }

    static Duration seconds(String text) {
        try {
            double asked = Double.parseDouble(text);
            return asked > 0 ? Duration.ofMillis((long) (Math.min(asked, MOST_ASKED) * 1_000)) : Duration.ZERO;
        } catch (NumberFormatException aDate) {
            return Duration.ZERO;
        }
    }

    /** What may have been done is sent again only where twice counts once. */
    private static boolean mayRepeat(HandoffException failure, boolean isSafe) {
        if (failure instanceof ApiException refused) {
            return refused.isRetryable() && (isSafe || refused.status() == 429);
        }
        return failure instanceof NoResponseException failed && (isSafe || !failed.isSent());
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** A text as a part of a path. */
    static String part(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
