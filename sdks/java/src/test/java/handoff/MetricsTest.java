package handoff;

import static org.junit.jupiter.api.Assertions.assertTrue;

import handoff.Watcher.JobResult;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MetricsTest {
    private static final String APPLIED = "{\"applied\":true,\"results\":[{\"id\":\"j\",\"applied\":true}]}";
    private static final String LATE = "{\"results\":[{\"id\":\"j\",\"applied\":false,\"reason\":\"stale_token\"}]}";

    private final Metrics metrics = new Metrics();

    @Test
    void aJobThatIsDoneIsCounted() throws Exception {
        play(APPLIED, job -> 1);
        has("handoff_jobs_total{node=\"n\",result=\"completed\"} 1", "handoff_jobs_held{node=\"n\"} 0");
        has("handoff_job_seconds_count{node=\"n\"} 1", "handoff_polls_total{result=\"jobs\"} 1");
        has("handoff_reported_jobs_bucket{verb=\"complete\",le=\"1\"} 1");
        has("handoff_poll_seconds_count{result=\"jobs\"} 1");
    }

    @Test
    void aResultThatHasToBeToldAgainIsCounted() throws Exception {
        Iterator<String> answers = List.of("{\"results\":[{\"id\":\"j\",\"applied\":false,\"reason\":\"unavailable\"}]}", APPLIED).iterator();
        play(path -> answers.next(), job -> 1);
        has("handoff_retries_total{verb=\"complete\"} 1", "handoff_jobs_total{node=\"n\",result=\"completed\"} 1");
    }

    @Test
    void aJobThatFailedIsCounted() throws Exception {
        play(APPLIED, job -> {
            throw new IllegalStateException("no");
        });
        has("handoff_jobs_total{node=\"n\",result=\"failed\"} 1");
    }

    @Test
    void aJobThatIsGivenBackIsCounted() throws Exception {
        play(APPLIED, job -> {
            throw new ReleaseException();
        });
        has("handoff_jobs_total{node=\"n\",result=\"released\"} 1");
    }

    @Test
    void aJobThatIsTooLateIsCounted() throws Exception {
        play(LATE, job -> 1);
        has("handoff_jobs_total{node=\"n\",result=\"late\"} 1");
    }

    @Test
    void itIsTextThatPrometheusReads() {
        metrics.pollFailed();
        metrics.pollSucceeded(0, Duration.ofSeconds(2));
        metrics.jobStarted("a \"b\"\\\n");
        metrics.jobEnded("n", JobResult.UNREPORTED, Duration.ofSeconds(90));
        metrics.reportSent("heartbeat", 5_000);
        metrics.reportRetried("fail");
        has("# TYPE handoff_polls_total counter", "# TYPE handoff_jobs_held gauge", "# TYPE handoff_reported_jobs histogram");
        has("handoff_polls_total{result=\"error\"} 1", "handoff_polls_total{result=\"empty\"} 1");
        has("handoff_poll_seconds_bucket{result=\"empty\",le=\"1\"} 0", "handoff_poll_seconds_sum{result=\"empty\"} 2");
        has("handoff_retries_total{verb=\"fail\"} 1");
        has("handoff_jobs_held{node=\"a \\\"b\\\"\\\\\\n\"} 1", "handoff_job_seconds_bucket{node=\"n\",le=\"60\"} 0");
        has("handoff_job_seconds_bucket{node=\"n\",le=\"300\"} 1", "handoff_job_seconds_sum{node=\"n\"} 90");
        has("handoff_reported_jobs_bucket{verb=\"heartbeat\",le=\"1000\"} 0");
        has("handoff_reported_jobs_bucket{verb=\"heartbeat\",le=\"+Inf\"} 1");
    }

    private void play(String answer, Step step) throws Exception {
        play(path -> answer, step);
    }

    private void play(Function<String, String> answer, Step step) throws Exception {
        try (Served server = new Served(Duration.ZERO, Duration.ofMinutes(1), answer)) {
            Worker worker = server.worker().watcher(metrics).build();
            worker.step("n", job -> {
                worker.stop();
                return step.run(job);
            });
            worker.run();
        }
    }

    private void has(String... lines) {
        List<String> text = List.of(metrics.text().split("\n"));
        for (String line : lines) {
            assertTrue(text.contains(line), () -> "there is no " + line + " in\n" + metrics.text());
        }
    }
}
