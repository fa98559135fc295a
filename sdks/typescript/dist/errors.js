/** The base class of all errors of this package. */
export class HandoffError extends Error {
    constructor(message) {
        super(message);
        this.name = new.target.name;
    }
}
/** There was no response; `isSent` says whether the server may have got the call. */
export class NoResponse extends HandoffError {
    isSent;
    constructor(message, isSent) {
        super(message);
        this.isSent = isSent;
    }
}
const AGAIN = new Set([408, 425, 429, 500, 502, 503, 504]);
/** An error response: `code` and `field` name the cause, `requestId` identifies the call in the server's log. */
export class ApiError extends HandoffError {
    status;
    code;
    reason;
    field;
    details;
    requestId;
    retryAfter;
    constructor(status, code, reason, field, details = {}, requestId, 
    /** Seconds after which the call may be sent again. */
    retryAfter) {
        super(`${code} (${status}): ${reason}${field ? ` [${field}]` : ""}`);
        this.status = status;
        this.code = code;
        this.reason = reason;
        this.field = field;
        this.details = details;
        this.requestId = requestId;
        this.retryAfter = retryAfter;
    }
    /** Whether a retry of the call may succeed. */
    get isRetryable() {
        return AGAIN.has(this.status) || this.code === "in_progress";
    }
}
/** The run has not ended in time; `status` is its state. */
export class WaitTimeout extends HandoffError {
    run;
    status;
    constructor(run, status) {
        super(`The run ${run} is ${status}.`);
        this.run = run;
        this.status = status;
    }
}
/** Thrown by a step: its attempt failed. Another one follows only where it is `retryable`. */
export class StepError extends HandoffError {
    code;
    retryable;
    details;
    constructor(message, { code = "StepError", retryable = true, details } = {}) {
        super(message);
        this.code = code;
        this.retryable = retryable;
        this.details = details;
    }
}
/** Thrown by a step: every other attempt would fail, too. */
export class NonRetryableError extends StepError {
    constructor(message, { code = "NonRetryableError", details } = {}) {
        super(message, { code, retryable: false, ...(details && { details }) });
    }
}
/** Thrown by a step that has done nothing yet: another worker gets the job, and no attempt is counted. */
export class Release extends HandoffError {
}
