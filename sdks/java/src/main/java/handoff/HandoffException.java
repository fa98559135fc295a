package handoff;

/** What every exception of this package is. */
public abstract class HandoffException extends RuntimeException {
    private static final long serialVersionUID = 1;

    HandoffException(String message, Throwable cause) {
        super(message, cause);
    }
}
