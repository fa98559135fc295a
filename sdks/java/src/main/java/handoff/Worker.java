package handoff;

import com.fasterxml.jackson.databind.JsonNode;
import handoff.Watcher.JobResult;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Polls for jobs and does them, many at once, each in a thread of its own. */
public final class Worker {
    private static final Logger LOG = System.getLogger("handoff");
    private static final int MOST_JOBS = 100;
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
        reports = new Reports(client, watcher);
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
            poll();
        } finally {
            stop();
            try {
                drain();
            } finally {
                ended.complete(null);
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
                if (failure instanceof ApiException refused && !refused.isRetryable()) {
                    throw failure;
                }
                LOG.log(Level.WARNING, "no jobs, trying again: " + failure.getMessage());
                watcher.pollFailed();
                Pause.sleep(Pause.after(failure, failures++), stopping);
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

    private List<Job> ask(int free) throws InterruptedException {
        List<String> asked = new ArrayList<>(queues);
        if (asked.size() > MOST_QUEUES) {
            Collections.shuffle(asked);
            asked = asked.subList(0, MOST_QUEUES);
        }
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("worker_id", name);
        body.put("queues", asked);
        body.put("weights", asked.stream().collect(Collectors.toMap(Function.identity(), queue -> 1)));
        body.put("slots", slots);
        body.put("max_jobs", Math.min(free, MOST_JOBS));
        body.put("wait_seconds", Pause.jittered(pollWait).toMillis() / 1_000.0);
        if (version != null) {
            body.put("version", version);
        }
        // Each poll leases: none is sent twice.
        Client.Answer answer = client.once("POST", "/jobs/poll", body, null, pollWait.plus(Client.READ), stopping);
        List<Job> jobs = new ArrayList<>();
        for (JsonNode raw : answer.body().path("jobs")) {
            jobs.add(new Job(raw, answer.date(), job -> threads.execute(() -> tell(job))));
        }
        return jobs;
    }

    /** Tells how far a job is, as long as it says more meanwhile; what is not heard waits for the next time. */
    private void tell(Job job) {
        boolean wasHeard;
        do {
            wasHeard = reports.beat(List.of(job));
        } while (job.goesOnTelling(wasHeard));
    }

    private void begin(Job job) {
        synchronized (held) {
            held.add(job);
        }
        watcher.jobStarted(job.node());
        threads.execute(() -> {
            long began = System.nanoTime();
            JobResult result = JobResult.UNREPORTED;
            try {
                result = process(job);
            } catch (RuntimeException failure) {
                LOG.log(Level.ERROR, "the result could not be reported of the job " + job.id(), failure);
            } finally {
                watcher.jobEnded(job.node(), result, Duration.ofNanos(System.nanoTime() - began));
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
        Step step = steps.get(job.node());
        if (step == null) {
            String message = "The worker " + name + " has no step " + job.node() + ".";
            return reports.fail(job, new StepException("UnknownStep", message), null);
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
