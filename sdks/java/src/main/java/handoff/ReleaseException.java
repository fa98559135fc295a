package handoff;

/** Thrown by a step that has done nothing yet: another worker gets the job, and no attempt is counted. */
public final class ReleaseException extends HandoffException {
    private static final long serialVersionUID = 1;

    /** Releases the job. */
    public ReleaseException() {
        super("The job is released.", null);
    }
}
