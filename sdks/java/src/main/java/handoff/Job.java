package handoff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One attempt at a step. Its methods may be called by any thread. */
public final class Job {
    private static final int MOST_LINES = 200;
    private static final int MOST_CHARACTERS = 2_000;

    private final JsonNode raw;
    private final Consumer<Job> beat;
    private final CountDownLatch cancellation = new CountDownLatch(1);
    private final Map<String, RawValue> variables = new LinkedHashMap<>();
    private final List<Line> lines = new ArrayList<>();
    private int said;
    private RawValue news;
    private boolean isTelling;
    private boolean isLost;
    private Lease lease;
    private long renewedAt; // as System.nanoTime tells it, which nobody sets

    /** A line for people who look at the run, as calls tell it. */
    record Line(String text, String level, String at, int seq) {}

    /** What a call says of a job, and which of its news that are: they are told once. */
    record Word(Job job, Map<String, Object> item, int lastLine, RawValue news) {}

    /** A job that was polled by an answer of this date, which may be null. */
    Job(JsonNode raw, Instant date, Consumer<Job> beat) {
        this.raw = raw;
        this.beat = beat;
        renew(raw.path("lease_expires_at").asText(), date);
    }

    /** What the API calls it. */
    public String id() {
        return raw.path("id").asText();
    }

    /** The run whose step it is. */
    public String runId() {
        return raw.path("run_id").asText();
    }

    /** The name of the run's workflow. */
    public String workflow() {
        return raw.path("workflow").asText();
    }

    /** The node of the workflow that it does. */
    public String node() {
        return raw.path("node").asText();
    }

    /** What the step is given. */
    public JsonNode input() {
        return Json.field(raw, "input");
    }

    /** What the step is given, as an object of a class. Throws IllegalArgumentException where it is none. */
    public <T> T input(Class<T> type) {
        return Json.as(input(), type);
    }

    /** The parameters of the node. */
    public JsonNode params() {
        return Json.field(raw, "params");
    }

    /** The parameters of the node, as an object of a class. Throws IllegalArgumentException where they are none. */
    public <T> T params(Class<T> type) {
        return Json.as(params(), type);
    }

    /** Which attempt this is, from 1. */
    public int attempt() {
        return raw.path("attempt").asInt();
    }

    /** How many attempts may follow this one. */
    public int retriesRemaining() {
        return raw.path("retries_remaining").asInt();
    }

    /** What the attempt before told last, null of JSON where it told nothing: go on from there. */
    public JsonNode progress() {
        return Json.field(raw, "progress");
    }

    /** The newest decision of people that covers the job, its id and digest; null of JSON where none does. */
    public JsonNode approval() {
        return Json.field(raw, "approval");
    }

    /** The same for every attempt with the same input: pass it on to whatever the step calls. */
    public String idempotencyKey() {
        return raw.path("idempotency_key").asText();
    }

    /** All of the job, as it was polled. */
    public JsonNode raw() {
        return raw;
    }

    /** Whether the result is no longer needed: the run is being cancelled, the lease is lost, or the worker ends. */
    public boolean isCancelled() {
        return cancellation.getCount() == 0;
    }

    /** Waits until the result is no longer needed. */
    public void awaitCancellation() throws InterruptedException {
        cancellation.await();
    }

    /** Waits so long for that at most, and says whether it has come. */
    public boolean awaitCancellation(Duration most) throws InterruptedException {
        return cancellation.await(most.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Says a line for people who look at the run; 200 of an attempt are kept, of a line 2,000 characters. */
    public void log(String text) {
        log("info", text);
    }

    /** As {@link #log(String)}, for what somebody should look at. */
    public void warn(String text) {
        log("warning", text);
    }

    private synchronized void log(String level, String text) {
        said++;
        if (said <= MOST_LINES) {
            String at = Instant.now().truncatedTo(ChronoUnit.MICROS).toString();
            lines.add(new Line(Json.text(String.valueOf(text), MOST_CHARACTERS), level, at, said));
        }
    }

    /**
     * Reports progress, any JSON value of up to 64 KiB: pages show it, and the next attempt gets it. Throws
     * IllegalArgumentException where it is no JSON.
     */
    public void heartbeat(Object progress) {
        RawValue written = Json.written(progress);
        boolean isFirst;
        synchronized (this) {
            news = written;
            isFirst = !isTelling;
            isTelling = true;
        }
        if (isFirst) {
            beat.accept(this);
        }
    }

    /** Sets a variable of the run when the job is done. Throws IllegalArgumentException where its value is no JSON. */
    public synchronized void setVariable(String name, Object value) {
        variables.put(name, Json.written(value));
    }

    void cancel() {
        cancellation.countDown();
    }

    /** What a call says of the job: its id and lease, the lines and the progress that wait, and what is given besides. */
    synchronized Word word(Map<String, ?> more) {
        Map<String, Object> item = new LinkedHashMap<>();
        item.put("id", id());
        item.put("lease_token", leaseToken());
        item.putAll(more);
        if (!lines.isEmpty()) {
            item.put("log", List.copyOf(lines));
        }
        return new Word(this, item, lines.isEmpty() ? 0 : lines.get(lines.size() - 1).seq(), news);
    }

    /** As word, for a call that says that the job is being done: with how far it is. */
    synchronized Word sign() {
        Word word = word(Map.of());
        if (news != null) {
            word.item().put("progress", news);
        }
        return word;
    }

    /** Forgets what a call has told. */
    synchronized void forget(Word word) {
        lines.removeIf(line -> line.seq() <= word.lastLine());
        if (news == word.news()) {
            news = null;
        }
    }

    /** Whether there is progress that no call has told. */
    synchronized boolean hasNews() {
        return news != null;
    }

    /** Whether whoever tells its progress goes on: there is more, and the last call was heard. */
    synchronized boolean goesOnTelling(boolean wasHeard) {
        isTelling = wasHeard && news != null;
        return isTelling;
    }

    /** Notes until when its lease goes on, as an answer of this date (or null) says. */
    final synchronized void renew(String expires, Instant date) {
        lease = Lease.of(OffsetDateTime.parse(expires).toInstant(), date);
        renewedAt = System.nanoTime();
    }

    /** Notes that somebody else has it, or nobody. */
    synchronized void lose() {
        isLost = true;
        cancel();
    }

    synchronized Map<String, RawValue> variables() {
        return new LinkedHashMap<>(variables);
    }

    String leaseToken() {
        return raw.path("lease_token").asText();
    }

    /** Whether its lease is over. */
    synchronized boolean isOver() {
        return isLost || System.nanoTime() - renewedAt > lease.most().toNanos();
    }

    /** Whether a third of its lease is over, but not all of it. */
    synchronized boolean isDue() {
        return !isOver() && System.nanoTime() - renewedAt >= lease.least().toNanos() / 3;
    }

    /** How long its lease is at the least. */
    synchronized Duration lease() {
        return lease.least();
    }
}
