package handoff;

/** There was no response; {@link #isSent} says whether the server may have got the call. */
public final class NoResponseException extends HandoffException {
    private static final long serialVersionUID = 1;

    private final boolean sent;

    NoResponseException(String message, boolean sent, Throwable cause) {
        super(message, cause);
        this.sent = sent;
    }

    /** Whether the server may have got the call. */
    public boolean isSent() {
        return sent;
    }
}
