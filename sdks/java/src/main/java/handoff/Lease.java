package handoff;

import java.time.Duration;
import java.time.Instant;

/** How long a lease lasts: at the least, since a date says the second alone, and at the most. */
record Lease(Duration least, Duration most) {
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /**
     * A lease that is over then, by the clock of a server whose answer has this date, not by this machine's; without a date
     * (null) there is only that.
     */
    static Lease of(Instant expires, Instant date) {
        Duration left = Duration.between(date == null ? Instant.now() : date, expires);
        return new Lease(longer(left.minusSeconds(1), SHORTEST), longer(left, SHORTEST));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
