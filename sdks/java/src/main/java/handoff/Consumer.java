package handoff;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/** Takes the events of a broker and claims their jobs. */
final class Consumer implements Events.Receiver {
    private static final Logger LOG = System.getLogger("handoff");
    private static final int MOST_QUEUES = 50;
    private static final Duration SHOW = Duration.ofSeconds(30);
    private static final Duration LEAVE = Duration.ofSeconds(3);
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Client client;
    private final Map<String, Object> about;
    private final List<String> queues;
    private final Slots slots;
    private final Watcher watcher;
    private final CompletableFuture<Void> stopping;
    private final BiConsumer<JsonNode, Instant> begin;
    private final AtomicInteger claiming = new AtomicInteger();
    private final CompletableFuture<Void> refusal = new CompletableFuture<>();
    private volatile long claimedAt = System.nanoTime();

    /** Waits until the worker has more than this many free slots, so long at most; gives how many more, 0 where none. */
    @FunctionalInterface
    interface Slots {
        int await(int taken, Duration most) throws InterruptedException;
    }

    Consumer(
            Client client,
            Map<String, Object> about,
            List<String> queues,
            Slots slots,
            Watcher watcher,
            CompletableFuture<Void> stopping,
            BiConsumer<JsonNode, Instant> begin) {
        this.client = client;
        this.about = about;
        this.queues = queues;
        this.slots = slots;
        this.watcher = watcher;
        this.stopping = stopping;
        this.begin = begin;
    }

    /** Works until the worker is stopped. Throws ApiException that no other try would change. */
    void consume(Events events, ExecutorService threads) throws InterruptedException {
        // Whoever is refused learns of it at once, not with the first event.
        try {
            claim(List.of());
        } catch (CancellationException stopped) {
            return;
        }
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (String queue : queues) {
            readers.add(CompletableFuture.runAsync(() -> read(events, queue), threads));
        }
        try {
            while (!Pause.sleep(LOOK, CompletableFuture.anyOf(stopping, refusal)) && !isStopped()) {
                show();
            }
            refusal.getNow(null);
        } catch (CompletionException refused) {
            throw (HandoffException) refused.getCause();
        } catch (CancellationException stopped) {
            LOG.log(Level.DEBUG, "stopped while Handoff is away");
        } finally {
            stopping.complete(null);
            leave(readers);
        }
    }

    /** Handoff lists who is there, also while there is nothing to do. */
    private void show() throws InterruptedException {
        if (System.nanoTime() - claimedAt >= SHOW.toNanos()) {
            claim(List.of());
        }
    }

    private static void leave(List<CompletableFuture<Void>> readers) throws InterruptedException {
        try {
            CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).get(LEAVE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException late) {
            LOG.log(Level.WARNING, "the broker does not know that this worker has gone");
        }
    }

    /** Takes the events of a queue until the worker is stopped, whatever becomes of the broker. */
    private void read(Events events, String queue) {
        for (int failures = 0; !isStopped(); failures++) {
            try {
                events.consume(queue, this);
            } catch (InterruptedException asked) {
                Thread.currentThread().interrupt();
                return;
            } catch (ApiException refused) {
                refusal.completeExceptionally(refused);
                return;
            } catch (Exception error) {
                if (!isStopped()) {
                    pause(error, failures);
                }
            }
        }
    }

    private void pause(Exception error, int failures) {
        LOG.log(Level.WARNING, "no job events, trying again: " + error);
        watcher.pollFailed();
        try {
            Pause.sleep(Pause.after(null, failures), stopping);
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String workerName() {
        return (String) about.get("worker_id");
    }

    @Override
    public boolean isStopped() {
        return stopping.isDone() || refusal.isDone();
    }

    @Override
    public int awaitRoom(Duration most) throws InterruptedException {
        return isStopped() ? 0 : slots.await(claiming.get(), most);
    }

    /** Tries until there is an answer. Throws ApiException that no other try would change, CancellationException when stopped. */
    @Override
    public void claim(List<String> ids) throws InterruptedException {
        Map<String, Object> body = new LinkedHashMap<>(about);
        body.put("queues", queues.subList(0, Math.min(queues.size(), MOST_QUEUES)));
        body.put("ids", new LinkedHashSet<>(ids));
        claiming.addAndGet(ids.size());
        try {
            for (int failures = 0; ; failures++) {
                try {
                    begin(ids, body);
                    return;
                } catch (HandoffException failure) {
                    if (failure instanceof ApiException refused && !refused.isRetryable()) {
                        throw failure;
                    }
                    LOG.log(Level.WARNING, "no jobs, trying again: " + failure.getMessage());
                    watcher.pollFailed();
                    if (Pause.sleep(Pause.after(failure, failures), stopping)) {
                        // What was taken is for others where the worker ends while Handoff is away.
                        throw new CancellationException();
                    }
                }
            }
        } finally {
            claiming.addAndGet(-ids.size());
        }
    }

    private void begin(List<String> ids, Map<String, Object> body) throws InterruptedException {
        long asked = System.nanoTime();
        Client.Answer answer = client.once("POST", "/jobs/claim", body, null, Client.READ, new CompletableFuture<>());
        claimedAt = System.nanoTime();
        JsonNode jobs = answer.body().path("jobs");
        if (!ids.isEmpty()) {
            watcher.pollSucceeded(jobs.size(), Duration.ofNanos(claimedAt - asked));
        }
        jobs.forEach(job -> begin.accept(job, answer.date()));
    }
}
