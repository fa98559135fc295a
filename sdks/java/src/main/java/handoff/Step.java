package handoff;

/** Does the jobs of a node. */
@FunctionalInterface
public interface Step {
    /**
     * Does a job, and gives the output of the step: null, or what Jackson can write as JSON. Throws {@link StepException}
     * where the attempt failed, {@link ReleaseException} where nothing was done; any other error is a retryable failure.
     */
    Object run(Job job) throws Exception;
}
