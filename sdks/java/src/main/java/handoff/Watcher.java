package handoff;

import java.time.Duration;

/** Receives the events of a worker, from many threads at once; methods must not block. {@link Metrics} is one. */
public interface Watcher {
    /** The result of a job. */
    enum JobResult {
        COMPLETED,
        FAILED,
        RELEASED,
        /** Reported, but another worker had the job. */
        LATE,
        /** It could not be reported. */
        UNREPORTED
    }

    /** A poll returned this many jobs after this time. */
    default void pollSucceeded(int jobs, Duration took) {}

    /** A poll got no response or a retryable error. */
    default void pollFailed() {}

    /** A job was started. */
    default void jobStarted(String node) {}

    /** A job is no longer held. */
    default void jobEnded(String node, JobResult result, Duration held) {}

    /** One call reported this many jobs; {@code verb} is complete, fail or heartbeat. */
    default void reportSent(String verb, int jobs) {}

    /** A call that reports a result is about to be retried; {@code verb} is complete or fail. */
    default void reportRetried(String verb) {}
}
