package handoff;

import java.time.Duration;
import java.util.Set;

/** An error response: {@link #code} and {@link #field} name the cause. */
public final class ApiException extends HandoffException {
    private static final long serialVersionUID = 1;
    private static final Set<Integer> AGAIN = Set.of(408, 425, 429, 500, 502, 503, 504);

    private final int status;
    private final String code;
    private final String reason;
    private final String field;
    private final String requestId;
    private final Duration retryAfter;

    ApiException(int status, String code, String reason, String field, String requestId, Duration retryAfter) {
        super(code + " (" + status + "): " + reason + (field == null ? "" : " [" + field + "]"), null);
        this.status = status;
        this.code = code;
        this.reason = reason;
        this.field = field;
        this.requestId = requestId;
        this.retryAfter = retryAfter;
    }

    /** The status of the answer, such as 404. */
    public int status() {
        return status;
    }

    /** Why, for programs: {@code not_found}; {@code no_code} where somebody else than Handoff answered. */
    public String code() {
        return code;
    }

    /** Why, for people. */
    public String reason() {
        return reason;
    }

    /** Which field of the call is meant, or null. */
    public String field() {
        return field;
    }

    /** What Handoff's log calls the call, or null. */
    public String requestId() {
        return requestId;
    }

    /** After which time the call may be sent again, zero where nobody says. */
    public Duration retryAfter() {
        return retryAfter;
    }

    /** Whether a retry of the call may succeed. */
    public boolean isRetryable() {
        return AGAIN.contains(status) || code.equals("in_progress");
    }
}
