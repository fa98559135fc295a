package handoff;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts what workers do, for Prometheus: give it to the builder of a worker, and serve {@link #text} as {@link #CONTENT_TYPE}. The
 * names are those of the SDK for Python.
 */
public final class Metrics implements Watcher {
    /** The type of the text. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private static final double[] SIZES = {1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000};
    private static final double[] SECONDS = {0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800};

    private final Map<String, Long> jobs = new TreeMap<>();
    private final Map<String, Long> held = new TreeMap<>();
    private final Map<String, Long> polls = new TreeMap<>();
    private final Map<String, Histogram> seconds = new TreeMap<>();
    private final Map<String, Histogram> pollSeconds = new TreeMap<>();
    private final Map<String, Histogram> reports = new TreeMap<>();
    private final Map<String, Long> retries = new TreeMap<>();

    private static final class Histogram {
        private final double[] bounds;
        private final long[] counts; // the last one is of what is above all bounds
        private double sum;

        private Histogram(double[] bounds) {
            this.bounds = bounds;
            counts = new long[bounds.length + 1];
        }

        private void observe(double value) {
            int place = 0;
            while (place < bounds.length && value > bounds[place]) {
                place++;
            }
            counts[place]++;
            sum += value;
        }
    }

    @Override
    public synchronized void pollSucceeded(int jobs, Duration took) {
        String result = labels("result", jobs > 0 ? "jobs" : "empty");
        polls.merge(result, 1L, Long::sum);
        pollSeconds.computeIfAbsent(result, key -> new Histogram(SECONDS)).observe(took.toNanos() / 1e9);
    }

    @Override
    public synchronized void pollFailed() {
        polls.merge(labels("result", "error"), 1L, Long::sum);
    }

    @Override
    public synchronized void jobStarted(String node) {
        held.merge(labels("node", node), 1L, Long::sum);
    }

    @Override
    public synchronized void jobEnded(String node, JobResult result, Duration held) {
        this.held.merge(labels("node", node), -1L, Long::sum);
        jobs.merge(labels("node", node, "result", result.name().toLowerCase(Locale.ROOT)), 1L, Long::sum);
        seconds.computeIfAbsent(labels("node", node), key -> new Histogram(SECONDS)).observe(held.toNanos() / 1e9);
    }

    @Override
    public synchronized void reportSent(String verb, int jobs) {
        reports.computeIfAbsent(labels("verb", verb), key -> new Histogram(SIZES)).observe(jobs);
    }

    @Override
    public synchronized void reportRetried(String verb) {
        retries.merge(labels("verb", verb), 1L, Long::sum);
    }

    /** All that was counted, as Prometheus reads it. */
    public synchronized String text() {
        StringBuilder text = new StringBuilder();
        values(text, "handoff_jobs_total", "counter", "Jobs that are no longer held", jobs);
        histograms(text, "handoff_job_seconds", "How long a job was held, in seconds", seconds);
        values(text, "handoff_jobs_held", "gauge", "Jobs that are held now", held);
        values(text, "handoff_polls_total", "counter", "Polls", polls);
        histograms(text, "handoff_poll_seconds", "How long a poll took, in seconds", pollSeconds);
        histograms(text, "handoff_reported_jobs", "Jobs that one call reported", reports);
        values(text, "handoff_retries_total", "counter", "Calls that reported results and were retried", retries);
        return text.toString();
    }

    private static void values(StringBuilder text, String name, String kind, String help, Map<String, Long> by) {
        head(text, name, kind, help);
        by.forEach((labels, value) -> line(text, name, labels, String.valueOf(value)));
    }

    private static void histograms(StringBuilder text, String name, String help, Map<String, Histogram> by) {
        head(text, name, "histogram", help);
        by.forEach((labels, histogram) -> {
            long count = 0;
            for (int place = 0; place < histogram.counts.length; place++) {
                count += histogram.counts[place];
                String bound = place < histogram.bounds.length ? number(histogram.bounds[place]) : "+Inf";
                line(text, name + "_bucket", labels + ",le=\"" + bound + "\"", String.valueOf(count));
            }
            line(text, name + "_sum", labels, number(histogram.sum));
            line(text, name + "_count", labels, String.valueOf(count));
        });
    }

    private static void head(StringBuilder text, String name, String kind, String help) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(kind).append('\n');
    }

    private static void line(StringBuilder text, String name, String labels, String value) {
        text.append(name).append('{').append(labels).append("} ").append(value).append('\n');
    }

    private static String labels(String... pairs) {
        StringBuilder text = new StringBuilder();
        for (int place = 0; place < pairs.length; place += 2) {
            String value = pairs[place + 1].replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
            text.append(place > 0 ? "," : "").append(pairs[place]).append("=\"").append(value).append('"');
        }
        return text.toString();
    }

    private static String number(double value) {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }
}
