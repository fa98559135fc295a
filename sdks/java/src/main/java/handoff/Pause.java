package handoff;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** How long is waited between tries. */
final class Pause {
    private static final long FIRST = 250;
    private static final long LONGEST = 10_000;

    private Pause() {}

    /** How long to wait after a failure (or null) that so many came before. */
    static Duration after(RuntimeException failure, int before) {
        long most = Math.min(FIRST << Math.min(before, 10), LONGEST);
        long pause = ThreadLocalRandom.current().nextLong(most);
        if (failure instanceof ApiException refused && !refused.retryAfter().isZero()) {
            return refused.retryAfter().plusMillis(Math.min(pause, 1_000));
        }
        return Duration.ofMillis(pause);
    }

    /** A pause that others don't have, too: up to a quarter shorter. */
    static Duration jittered(Duration pause) {
        return Duration.ofMillis(pause.toMillis() * 3 / 4 + ThreadLocalRandom.current().nextLong(pause.toMillis() / 4 + 1));
    }

    /** Waits so long, or until the end has come; says whether it has. */
    static boolean sleep(Duration pause, CompletableFuture<?> end) throws InterruptedException {
        try {
            end.get(pause.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException stillOpen) {
            return false;
        } catch (ExecutionException | CancellationException ended) {
            return true;
        }
    }
}
