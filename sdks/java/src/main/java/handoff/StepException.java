package handoff;

import java.util.Map;

/** Thrown by a step whose attempt failed, with a code of its own. Another attempt follows only where it is retryable. */
public class StepException extends HandoffException {
    private static final long serialVersionUID = 1;

    private final String code;
    private final boolean retryable;
    private final transient Map<String, ?> details;

    /** A failure after which another attempt may go better. */
    public StepException(String code, String message) {
        this(code, message, true, null);
    }

    /** A failure; with {@code retryable} another attempt may go better. */
    public StepException(String code, String message, boolean retryable) {
        this(code, message, retryable, null);
    }

    /** A failure with what programs should know of it, JSON values by their names, or null. */
    public StepException(String code, String message, boolean retryable, Map<String, ?> details) {
        super(message, null);
        if (code == null || code.isBlank()) {
            throw new IllegalArgumentException("A failure needs a code.");
        }
        this.code = code;
        this.retryable = retryable;
        this.details = details;
    }

    /** What the run shows as the error's code, and what edges and retries may look at. */
    public String code() {
        return code;
    }

    /** Whether another attempt may go better. */
    public boolean retryable() {
        return retryable;
    }

    /** What programs should know of it, or null. */
    public Map<String, ?> details() {
        return details;
    }
}
