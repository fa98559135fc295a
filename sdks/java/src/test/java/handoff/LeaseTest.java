package handoff;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The seconds between the two words of a server count, whatever its clock shows, or this machine's. */
@Timeout(60)
class LeaseTest {
    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 1})
    void aLeaseIsRenewedInTimeWhateverTheClocksShow(long hours) throws Exception {
        Semaphore beats = new Semaphore(0);
        AtomicReference<String> wrong = new AtomicReference<>();
        try (Served server = new Served(Duration.ofHours(hours), Duration.ofSeconds(3), path -> {
            beats.release(path.equals("/jobs/heartbeat") ? 1 : 0);
            return Served.RENEWED;
        })) {
            Worker worker = server.worker().build();
            worker.step("n", job -> {
                for (int beat = 0; beat < 2; beat++) {
                    if (!beats.tryAcquire(2, TimeUnit.SECONDS) || job.isCancelled()) {
                        wrong.set("the lease was not renewed in time");
                    }
                }
                worker.stop();
                return null;
            });
            worker.run();
        }
        assertEquals(null, wrong.get());
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1})
    void aLeaseThatCannotBeRenewedIsGivenUpWhenItIsOver(long hours) throws Exception {
        String unavailable = "{\"results\":[{\"id\":\"j\",\"applied\":false,\"reason\":\"unavailable\"}]}";
        AtomicReference<Duration> held = new AtomicReference<>();
        try (Served server = new Served(Duration.ofHours(hours), Duration.ofMillis(1_500), path -> unavailable)) {
            Worker worker = server.worker().build();
            worker.step("n", job -> {
                long began = System.nanoTime();
                boolean isOver = job.awaitCancellation(Duration.ofSeconds(10));
                held.set(isOver ? Duration.ofNanos(System.nanoTime() - began) : null);
                worker.stop();
                throw new ReleaseException();
            });
            worker.run();
        }
        assertTrue(held.get() != null && held.get().toMillis() > 1_000, () -> "held for " + held.get());
    }

    @Test
    void aDateSaysTheSecondAlone() {
        Instant date = Instant.ofEpochSecond(10);
        assertEquals(
                new Lease(Duration.ofMillis(29_900), Duration.ofMillis(30_900)), Lease.of(Instant.ofEpochMilli(40_900), date));
        assertEquals(new Lease(Duration.ofSeconds(1), Duration.ofSeconds(1)), Lease.of(Instant.EPOCH, date));
        Duration most = Lease.of(Instant.now().plusSeconds(30), null).most();
        assertFalse(most.toSeconds() > 30 || most.toSeconds() < 28);
    }
}
