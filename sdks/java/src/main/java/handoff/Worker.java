package handoff;

import com.fasterxml.jackson.databind.JsonNode;
import handoff.Watcher.JobResult;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Polls for jobs and does them, many at once, each in a thread of its own. */
public final class Worker {
    private static final Logger LOG = System.getLogger("handoff");
    private static final int MOST_JOBS = 100;
    /** The server takes no greater {@code max_jobs} of a stream. */
    private static final int MOST_STREAMED = 1_000;

    private static final int MOST_BEATS = 1_000;
    private static final int MOST_QUEUES = 50;
    private static final Duration LOOK = Duration.ofMillis(250);
    private static final Duration APART = Duration.ofMillis(500);
    private static final Duration LEAVE = Duration.ofSeconds(2);

    private final Client client;
    private final int slots;
    private final String name;
    private final String version;
    private final Duration pollWait;
    private final Duration drain;
    private final Map<String, Step> steps = new LinkedHashMap<>();
    private final Set<String> queues = new TreeSet<>();
    private final Set<Job> held = new HashSet<>();
    private final Watcher watcher;
    private final Reports reports;
    private final GrpcJobs grpc;
    private final Events events;
    private final Semaphore permits;
    private final CompletableFuture<Void> stopping = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicBoolean begun = new AtomicBoolean();
    private final AtomicBoolean beating = new AtomicBoolean();
    private final ExecutorService threads = Executors.newCachedThreadPool(Worker::thread);

    private Worker(Builder builder) {
        client = builder.client;
        slots = builder.slots;
        name = builder.name == null ? ownName() : builder.name;
        version = builder.version;
        pollWait = builder.pollWait;
        drain = builder.drain;
        watcher = builder.watcher;
        events = builder.events;
        permits = new Semaphore(slots);
        if (builder.grpc != null && events != null) {
            throw new IllegalArgumentException("A worker takes its jobs by gRPC or through a broker, not both.");
        }
        grpc = builder.grpc == null ? null : new GrpcJobs(builder.grpc, client.token());
        reports = new Reports(grpc == null ? new Reporter.Rest(client) : grpc, watcher);
    }

    /** Builds a worker that asks the API by this client. */
    public static Builder builder(Client client) {
        return new Builder(client);
    }

    /** What a worker is built with. */
    public static final class Builder {
        private final Client client;
        private int slots = 10;
        private String name;
        private String version;
        private Duration pollWait = Duration.ofSeconds(20);
        private Duration drain = Duration.ofSeconds(30);
        private Watcher watcher = new Watcher() {};
        private String grpc;
        private Events events;

        private Builder(Client client) {
            this.client = client;
        }

        /** How many jobs it does at once, 10 where nobody says. */
        public Builder slots(int slots) {
            if (slots < 1) {
                throw new IllegalArgumentException("A worker needs a slot.");
            }
            this.slots = slots;
            return this;
        }

        /** What Handoff calls it, its host and process where nobody says. */
        public Builder name(String name) {
            this.name = name;
            return this;
        }

        /** The version of its code. */
        public Builder version(String version) {
            this.version = version;
            return this;
        }

        /** How long a poll waits for jobs, 20 seconds where nobody says. */
        public Builder pollWait(Duration pollWait) {
            this.pollWait = pollWait;
            return this;
        }

        /** How long jobs in hand have to end when it is stopped, 30 seconds where nobody says. */
        public Builder drain(Duration drain) {
            this.drain = drain;
            return this;
        }

        /** Who hears what it does, such as {@link Metrics}. */
        public Builder watcher(Watcher watcher) {
            this.watcher = watcher;
            return this;
        }

        /**
         * Where the gRPC service is, as {@code http://127.0.0.1:9090} or {@code https://…}: jobs come by a stream, and nothing
         * is polled. It needs grpc-stub and grpc-netty.
         */
        public Builder grpc(String grpc) {
            this.grpc = grpc;
            return this;
        }

        /** A broker with job events, instead of polling: {@link KafkaEvents} or {@link RedisEvents}. */
        public Builder events(Events events) {
            this.events = events;
            return this;
        }

        /** The worker. */
        public Worker build() {
            return new Worker(this);
        }
    }

    /** Has a function do the jobs of a node, whose queue is called like it. */
    public Worker step(String node, Step step) {
        return step(node, node, step);
    }

    /** Has a function do the jobs of a node whose queue is called otherwise. Steps are named before {@link #run}. */
    public Worker step(String node, String queue, Step step) {
        if (steps.putIfAbsent(node, step) != null) {
            throw new IllegalArgumentException("There are two steps for " + node + ".");
        }
        queues.add(queue);
        return this;
    }

    /**
     * Works until {@link #stop}, SIGTERM or SIGINT, and then until what is in hand has ended, as long as it may drain. Throws
     * ApiException where Handoff refuses the worker: its token is not valid, or a queue.
     */
    public void run() throws InterruptedException {
        if (steps.isEmpty() || begun.getAndSet(true)) {
            throw new IllegalStateException(steps.isEmpty() ? "A worker needs a step." : "A worker runs once.");
        }
        Thread hook = new Thread(this::stopAndWait, "handoff-stop");
        if (!isHooked(hook)) {
            return;
        }
        try {
            threads.execute(this::look);
            take();
        } finally {
            stop();
            try {
                drain();
            } finally {
                ended.complete(null);
                if (grpc != null) {
                    grpc.close();
                }
                forget(hook);
            }
        }
    }

    /** Takes no more jobs; {@link #run} ends when those in hand are done. */
    public void stop() {
        stopping.complete(null);
        synchronized (held) {
            held.notifyAll();
        }
    }

    /** A process that is told to end does so when this has returned. */
    private void stopAndWait() {
        stop();
        try {
            Pause.sleep(drain.plus(LEAVE).plusSeconds(1), ended);
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
    }

    /** Has a thread run when the process is told to end; says whether that has not come yet. */
    private static boolean isHooked(Thread hook) {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            return true;
        } catch (IllegalStateException ending) {
            return false;
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // It is what stopped the worker, and ends with it.
            LOG.log(Level.DEBUG, "the process ends");
        }
    }

    private void take() throws InterruptedException {
        if (grpc != null) {
            stream();
        } else if (events != null) {
            Consumer.Slots room = this::awaitRoom;
            new Consumer(client, about(), List.copyOf(queues), room, watcher, stopping, this::begin).consume(events, threads);
        } else {
            poll();
        }
    }

    /** Takes jobs as a stream brings them. */
    private void stream() throws InterruptedException {
        AtomicInteger failures = new AtomicInteger();
        while (!stopping.isDone()) {
            List<String> asked = someQueues();
            Map<String, Object> request = about();
            request.put("queues", asked);
            request.put("weights", asked.stream().map(queue -> Map.of("key", queue, "value", 1)).toList());
            request.put("max_jobs", Math.min(slots, MOST_STREAMED));
            long opened = System.nanoTime();
            try {
                grpc.stream(request, (job, date) -> {
                    failures.set(0);
                    watcher.pollSucceeded(1, Duration.ofNanos(System.nanoTime() - opened));
                    begin(job, date);
                }, stopping);
            } catch (HandoffException failure) {
                pauseAfter(failure, failures.getAndIncrement());
            }
        }
    }

    /** Waits before the next try. Throws the failure where no other try would change it. */
    private void pauseAfter(HandoffException failure, int failures) throws InterruptedException {
        if (failure instanceof ApiException refused && !refused.isRetryable()) {
            throw failure;
        }
        LOG.log(Level.WARNING, "no jobs, trying again: " + failure.getMessage());
        watcher.pollFailed();
        Pause.sleep(Pause.after(failure, failures), stopping);
    }

    /** Takes jobs while there are slots. */
    private void poll() throws InterruptedException {
        int failures = 0;
        for (int free = awaitSlots(); free > 0; free = awaitSlots()) {
            long asked = System.nanoTime();
            List<Job> jobs;
            try {
                jobs = ask(free);
            } catch (CancellationException stopped) {
                return;
            } catch (HandoffException failure) {
                pauseAfter(failure, failures++);
                continue;
            }
            failures = 0;
            Duration took = Duration.ofNanos(System.nanoTime() - asked);
            if (stopping.isDone()) {
                // The answer came as the worker was stopped: what it has not begun it gives back.
                jobs.forEach(reports::release);
                return;
            }
            watcher.pollSucceeded(jobs.size(), took);
            jobs.forEach(this::begin);
            // All that wait are answered at once when a server ends, or has too many.
            if (jobs.isEmpty() && took.toSeconds() < 1) {
                Pause.sleep(Pause.jittered(Duration.ofSeconds(1)).plusMillis(500), stopping);
            }
        }
    }

    /** Waits until a slot is free, and says how many are; 0 when the worker is stopped. */
    private int awaitSlots() throws InterruptedException {
        synchronized (held) {
            while (held.size() >= slots && !stopping.isDone()) {
                held.wait();
            }
            return stopping.isDone() ? 0 : slots - held.size();
        }
    }

    /** Waits for more free slots than these, so long at most; gives how many more, 0 where none. */
    private int awaitRoom(int taken, Duration most) throws InterruptedException {
        long until = System.nanoTime() + most.toNanos();
        synchronized (held) {
            for (long left = most.toMillis(); held.size() + taken >= slots && !stopping.isDone() && left > 0; left = (until - System.nanoTime()) / 1_000_000) {
                held.wait(left);
            }
            return stopping.isDone() ? 0 : Math.max(slots - held.size() - taken, 0);
        }
    }

    /** What a call says of the worker. */
    private Map<String, Object> about() {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("worker_id", name);
        body.put("slots", slots);
        if (version != null) {
            body.put("version", version);
        }
        return body;
    }

    /** Its queues, or some where there are more than a call may name. */
    private List<String> someQueues() {
        List<String> all = new ArrayList<>(queues);
        if (all.size() > MOST_QUEUES) {
            Collections.shuffle(all);
            return all.subList(0, MOST_QUEUES);
        }
        return all;
    }

    private List<Job> ask(int free) throws InterruptedException {
        List<String> asked = someQueues();
        Map<String, Object> body = about();
        body.put("queues", asked);
        body.put("weights", asked.stream().collect(Collectors.toMap(Function.identity(), queue -> 1)));
        body.put("max_jobs", Math.min(free, MOST_JOBS));
        body.put("wait_seconds", Pause.jittered(pollWait).toMillis() / 1_000.0);
        // Each poll leases: none is sent twice.
        Client.Answer answer = client.once("POST", "/jobs/poll", body, null, pollWait.plus(Client.READ), stopping);
        List<Job> jobs = new ArrayList<>();
        for (JsonNode raw : answer.body().path("jobs")) {
            jobs.add(job(raw, answer.date()));
        }
        return jobs;
    }

    private Job job(JsonNode raw, Instant date) {
        return new Job(raw, date, job -> threads.execute(() -> tell(job)));
    }

    /** Tells how far a job is, as long as it says more meanwhile; what is not heard waits for the next time. */
    private void tell(Job job) {
        boolean wasHeard;
        do {
            wasHeard = reports.beat(List.of(job));
        } while (job.goesOnTelling(wasHeard));
    }

    private void begin(JsonNode raw, Instant date) {
        begin(job(raw, date));
    }

    /**
     * Has a job done. A stream that was opened anew knows nothing of the jobs in hand: one for which there is no slot waits for
     * it, and its lease is renewed meanwhile.
     */
    private void begin(Job job) {
        synchronized (held) {
            held.add(job);
        }
        watcher.jobStarted(job.node());
        threads.execute(() -> {
            long began = System.nanoTime();
            JobResult result = JobResult.UNREPORTED;
            permits.acquireUninterruptibly();
            try {
                result = process(job);
            } catch (RuntimeException failure) {
                LOG.log(Level.ERROR, "the result could not be reported of the job " + job.id(), failure);
            } finally {
                watcher.jobEnded(job.node(), result, Duration.ofNanos(System.nanoTime() - began));
                permits.release();
                job.cancel();
                synchronized (held) {
                    held.remove(job);
                    held.notifyAll();
                }
            }
        });
    }

    /** Does a job and tells what result of it: an error ends its attempt, never the worker and the other jobs in hand. */
    private JobResult process(Job job) {
        if (job.isCancelled()) {
            return reports.release(job); // cancelled or lost while it waited for a slot
        }
        Step step = steps.get(job.node());
        if (step == null) {
            String message = "The worker " + name + " has no step " + job.node() + ".";
            return reports.fail(job, new StepException("UnknownStep", message, false), null);
        }
        Object output = null;
        Throwable error = null;
        try {
            output = step.run(job);
        } catch (Throwable any) {
            error = any;
        }
        // A step may have left its thread interrupted: what result of it is told all the same.
        Thread.interrupted();
        if (error == null) {
            return reports.complete(job, output);
        } else if (error instanceof ReleaseException) {
            return reports.release(job);
        } else if (error instanceof StepException failure) {
            return reports.fail(job, failure, null);
        }
        return reports.raised(job, error);
    }

    /** Renews the leases of which a third is over, all in one call, and lets go of those that have ended. */
    private void look() {
        try {
            while (!Pause.sleep(LOOK, ended)) {
                inHand().stream().filter(Job::isOver).forEach(Job::cancel);
                List<Job> due = inHand().stream().filter(Job::isDue).limit(MOST_BEATS).toList();
                if (!due.isEmpty() && beating.compareAndSet(false, true)) {
                    threads.execute(() -> renew(due));
                }
            }
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
    }

    private void renew(List<Job> due) {
        try {
            if (!reports.beat(due)) {
                Pause.sleep(Pause.jittered(APART), ended);
            }
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        } finally {
            beating.set(false);
        }
    }

    private List<Job> inHand() {
        synchronized (held) {
            return List.copyOf(held);
        }
    }

    private void drain() throws InterruptedException {
        if (awaitNone(drain)) {
            return;
        }
        inHand().forEach(Job::cancel);
        if (!awaitNone(LEAVE)) {
            LOG.log(Level.ERROR, inHand().size() + " jobs are left, since they have not ended in time");
        }
    }

    /** Waits so long until no job is in hand, and says whether none is. */
    private boolean awaitNone(Duration most) throws InterruptedException {
        long until = System.nanoTime() + most.toNanos();
        synchronized (held) {
            for (long left = most.toMillis(); !held.isEmpty() && left > 0; left = (until - System.nanoTime()) / 1_000_000) {
                held.wait(left);
            }
            return held.isEmpty();
        }
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "handoff-job");
        thread.setDaemon(true);
        return thread;
    }

    private static String ownName() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            host = "java";
        }
        return host + "-" + ProcessHandle.current().pid();
    }
}
