package handoff;

/** The base class of all exceptions of this package. */
public abstract class HandoffException extends RuntimeException {
    private static final long serialVersionUID = 1;

    HandoffException(String message, Throwable cause) {
        super(message, cause);
    }
}
