package handoff;

/** Nobody answered; {@link #sent} says whether the call may have been done all the same. */
public final class NoAnswerException extends HandoffException {
    private static final long serialVersionUID = 1;

    private final boolean sent;

    NoAnswerException(String message, boolean sent, Throwable cause) {
        super(message, cause);
        this.sent = sent;
    }

    /** Whether the call may have been done all the same. */
    public boolean sent() {
        return sent;
    }
}
