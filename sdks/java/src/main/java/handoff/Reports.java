package handoff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.util.RawValue;
import handoff.Watcher.JobResult;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** What Handoff is told of jobs: that they are being done, and what result of them. */
final class Reports {
    private static final Logger LOG = System.getLogger("handoff");
    private static final int MOST_STACK = 20_000;
    private static final int MOST_MESSAGE = 10_000;
    private static final Duration LEAST = Duration.ofSeconds(1);
    // So long a result is told, also after its lease: it counts while nobody else has the step.
    private static final Duration TELL = Duration.ofMinutes(5);
    // Of a result that is not taken for one of these there is nothing more to say.
    private static final Set<String> GONE = Set.of("stale_token", "not_found");

    private final Reporter reporter;
    private final Watcher watcher;

    Reports(Reporter reporter, Watcher watcher) {
        this.reporter = reporter;
        this.watcher = watcher;
    }

    /** What Handoff says to one item of a call. */
    private record Result(boolean applied, String reason, String message) {
        static Result of(JsonNode told) {
            return new Result(told.path("applied").asBoolean(), told.path("reason").asText(""), told.path("message").asText(""));
        }

        /** What result of the job, if what was told of it counts. */
        JobResult counts(JobResult result) {
            return applied ? result : JobResult.LATE;
        }
    }

    /**
     * Renews leases, and tells what is new of these jobs; those that nobody wants any more are cancelled. Says whether it was
     * heard.
     */
    boolean beat(List<Job> jobs) {
        List<Job.Word> words = jobs.stream().map(Job::sign).toList();
        Client.Answer answer;
        try {
            answer = reporter.report("heartbeat", words.stream().map(Job.Word::item).toList(), patience(jobs));
        } catch (HandoffException failure) {
            LOG.log(Level.WARNING, "leases could not be renewed, trying again: " + failure.getMessage());
            if (failure instanceof ApiException refused && !refused.isRetryable()) {
                // Told again it would be refused again, and the leases with it.
                words.forEach(word -> word.job().forget(word));
            }
            return false;
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
            return false;
        }
        watcher.reportSent("heartbeat", words.size());
        JsonNode results = answer.body().path("results");
        for (int place = 0; place < words.size(); place++) {
            hear(words.get(place), results.path(place), answer.date());
        }
        return true;
    }

    private static void hear(Job.Word word, JsonNode told, Instant date) {
        Job job = word.job();
        if (told.isMissingNode() || told.path("reason").asText("").equals("unavailable")) {
            return;
        }
        if (!told.path("applied").asBoolean()) {
            job.lose();
            return;
        }
        job.forget(word);
        if (told.path("lease_expires_at").isTextual()) {
            job.renew(told.path("lease_expires_at").textValue(), date);
        }
        if (told.path("cancel_requested").asBoolean()) {
            job.cancel();
        }
    }

    /** How long a call that renews leases may take: there is another one before they end. */
    private static Duration patience(List<Job> jobs) {
        Duration third = jobs.stream().map(Job::lease).min(Duration::compareTo).orElse(Client.READ).dividedBy(3);
        return Client.shorter(third.compareTo(LEAST) < 0 ? LEAST : third, Client.READ);
    }

    /** Tells what a step gave; what can't be kept fails it for good. Gives what result of the job, as all of these. */
    JobResult complete(Job job, Object output) {
        RawValue written;
        try {
            written = Json.written(output);
        } catch (IllegalArgumentException strange) {
            return fail(job, new StepException("NotJson", strange.getMessage(), false), null);
        }
        Map<String, Object> more = new LinkedHashMap<>();
        more.put("output", written);
        Map<String, RawValue> variables = job.variables();
        if (!variables.isEmpty()) {
            more.put("variables", variables);
        }
        Result told;
        try {
            told = tell(job, "complete", more);
        } catch (ApiException refused) {
            if (refused.status() == 401 || refused.status() == 403) {
                throw refused;
            }
            told = new Result(false, refused.code(), refused.reason());
        }
        if (!told.applied() && !told.message().isEmpty() && !GONE.contains(told.reason())) {
            String code = told.reason().isEmpty() ? "NotTaken" : told.reason();
            return fail(job, new StepException(code, "The output is refused: " + told.message(), false), null);
        }
        return told.counts(JobResult.COMPLETED);
    }

    /** Tells of an error that a step did not mean: another attempt may go better. */
    JobResult raised(Job job, Throwable error) {
        String code = error.getClass().getSimpleName();
        String message = error.getMessage() == null ? error.toString() : error.getMessage();
        StringWriter stack = new StringWriter();
        error.printStackTrace(new PrintWriter(stack, true));
        return fail(job, new StepException(code.isEmpty() ? "Error" : code, message), stack.toString());
    }

    /** Tells that an attempt failed, with the stack of the error or null; first how far it was, for the next one. */
    JobResult fail(Job job, StepException failure, String stack) {
        if (job.hasNews()) {
            beat(List.of(job));
        }
        try {
            return tellFailure(job, failure, stack);
        } catch (ApiException refused) {
            if (refused.status() == 401 || refused.status() == 403) {
                throw refused;
            }
            String message = "Its error is refused: " + refused.reason();
            return tellFailure(job, new StepException(failure.code(), message, false), null);
        }
    }

    private JobResult tellFailure(Job job, StepException failure, String stack) {
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("code", failure.code());
        error.put("message", Json.text(String.valueOf(failure.getMessage()), MOST_MESSAGE));
        if (stack != null) {
            error.put("stack", Json.text(stack, MOST_STACK));
        }
        if (failure.details() != null) {
            try {
                error.put("details", Json.written(failure.details()));
            } catch (IllegalArgumentException strange) {
                LOG.log(Level.WARNING, "the details of an error are left out: " + strange.getMessage());
            }
        }
        return tell(job, "fail", Map.of("error", error, "retryable", failure.retryable())).counts(JobResult.FAILED);
    }

    /** Gives a job back that nothing was done of. */
    JobResult release(Job job) {
        try {
            return Result.of(reporter.release(job)).counts(JobResult.RELEASED);
        } catch (HandoffException failure) {
            LOG.log(Level.WARNING, "a job could not be released, its lease will end: " + failure.getMessage());
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
        return JobResult.UNREPORTED;
    }

    /** Says what result of a job, again and again while that counts; gives what Handoff says to it. */
    private Result tell(Job job, String verb, Map<String, Object> more) {
        long until = System.nanoTime() + TELL.toNanos();
        for (int tries = 0; ; tries++) {
            HandoffException trouble;
            try {
                JsonNode told = reporter.report(verb, List.of(job.word(more).item()), Client.READ).body().path("results").path(0);
                watcher.reportSent(verb, 1);
                if (told.isObject() && !told.path("reason").asText("").equals("unavailable")) {
                    return Result.of(told);
                }
                trouble = new NoResponseException("Handoff could not take it.", true, null);
            } catch (ApiException refused) {
                if (!refused.isRetryable()) {
                    throw refused;
                }
                trouble = refused;
            } catch (NoResponseException failed) {
                trouble = failed;
            } catch (InterruptedException asked) {
                Thread.currentThread().interrupt();
                throw new NoResponseException("The thread was interrupted.", true, asked);
            }
            if (System.nanoTime() >= until) {
                throw trouble;
            }
            LOG.log(Level.DEBUG, "telling it again: " + trouble.getMessage());
            pause(Pause.after(trouble, tries));
            watcher.reportRetried(verb);
        }
    }

    private static void pause(Duration pause) {
        try {
            Pause.sleep(pause, new CompletableFuture<>());
        } catch (InterruptedException asked) {
            Thread.currentThread().interrupt();
        }
    }
}
