package handoff;

import java.time.Duration;

/** Hears of what a worker does, from many threads at once; nothing here may block. {@link Metrics} is one. */
public interface Watcher {
    /** What became of a job. */
    enum Became {
        COMPLETED,
        FAILED,
        GIVEN_BACK,
        /** It was told, and did not count. */
        LATE,
        /** Nobody could be told. */
        UNTOLD
    }

    /** A poll was answered with so many jobs, and took so long. */
    default void polled(int jobs, Duration took) {}

    /** A poll had no answer, or was refused for now. */
    default void notPolled() {}

    /** A job was begun. */
    default void begun(String node) {}

    /** A job is no longer held. */
    default void ended(String node, Became became, Duration held) {}

    /** So many results were told in one call; {@code verb} is complete, fail or heartbeat. */
    default void told(String verb, int jobs) {}

    /** A call that told of a result is about to be made again; {@code verb} is complete or fail. */
    default void retried(String verb) {}
}
