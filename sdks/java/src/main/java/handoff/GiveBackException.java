package handoff;

/** Thrown by a step that has done nothing yet: another worker is given the job, and no attempt counts. */
public final class GiveBackException extends HandoffException {
    private static final long serialVersionUID = 1;

    /** Gives the job back. */
    public GiveBackException() {
        super("The job is given back.", null);
    }
}
