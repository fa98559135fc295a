package handoff;

import java.time.Duration;
import java.util.List;

/** A broker with job events: {@link KafkaEvents}, {@link RedisEvents}, or your own. */
public interface Events {
    /** The header or field of an event that is the id of its job. */
    String JOB_ID = "job-id";

    /** How many events are claimed at once at most. */
    int MOST_EVENTS = 100;

    /**
     * Takes the events of a queue while the worker has room, and acknowledges those that it has claimed, until the worker is
     * stopped. It may throw any exception of the broker's client: it is called again after a pause.
     */
    void consume(String queue, Receiver receiver) throws Exception;

    /** A worker that learns of jobs from a broker. */
    interface Receiver {
        /** What Handoff calls the worker. */
        String workerName();

        /** Whether the worker takes no more jobs. */
        boolean isStopped();

        /** Waits for a free slot, so long at most, and gives how many are free; 0 where none is, or the worker is stopped. */
        int awaitRoom(Duration most) throws InterruptedException;

        /** Claims jobs, up to as many as there is room for; their events are handled then. With an exception they are for others. */
        void claim(List<String> ids) throws InterruptedException;
    }

    /** The topic or stream of a queue; the tenant {@code default}, or an empty one, has no name of its own in it. */
    static String topic(String queue, String tenant) {
        return prefix(tenant) + "workflow.jobs." + queue;
    }

    /** The consumer group of a queue's workers: each event goes to one of them. */
    static String group(String queue, String tenant) {
        return prefix(tenant) + "workflow.workers." + queue;
    }

    /** Whether this can be the id of a job. */
    static boolean isJobId(String text) {
        return text != null && !text.isEmpty() && text.length() <= 200 && text.chars().allMatch(one -> one >= ' ' && one <= '~');
    }

    private static String prefix(String tenant) {
        return tenant.isEmpty() || tenant.equals("default") ? "" : tenant + ".";
    }
}
