/** The result of a job; `late`: reported, but another worker had the job; `unreported`: it could not be reported. */
export type JobResult = "completed" | "failed" | "released" | "late" | "unreported";
/** Receives the events of a worker; methods must not take long. `Metrics` is one. */
export interface Watcher {
    /** A poll returned this many jobs after this time. */
    pollSucceeded?(jobs: number, seconds: number): void;
    /** A poll got no response or a retryable error. */
    pollFailed?(): void;
    /** A job was started. */
    jobStarted?(node: string): void;
    /** A job is no longer held; `seconds` is how long it was. */
    jobEnded?(node: string, result: JobResult, seconds: number): void;
    /** One call reported this many jobs. */
    reportSent?(verb: "complete" | "fail" | "heartbeat", jobs: number): void;
    /** A call that reports a result is about to be retried. */
    reportRetried?(verb: "complete" | "fail"): void;
}
