/** The base class of all errors of this package. */
export declare class HandoffError extends Error {
    constructor(message?: string);
}
/** There was no response; `isSent` says whether the server may have got the call. */
export declare class NoResponse extends HandoffError {
    readonly isSent: boolean;
    constructor(message: string, isSent: boolean);
}
/** An error response: `code` and `field` name the cause, `requestId` identifies the call in the server's log. */
export declare class ApiError extends HandoffError {
    readonly status: number;
    readonly code: string;
    readonly reason: string;
    readonly field?: string | undefined;
    readonly details: Record<string, unknown>;
    readonly requestId?: string | undefined;
    /** Seconds after which the call may be sent again. */
    readonly retryAfter?: number | undefined;
    constructor(status: number, code: string, reason: string, field?: string | undefined, details?: Record<string, unknown>, requestId?: string | undefined, 
    /** Seconds after which the call may be sent again. */
    retryAfter?: number | undefined);
    /** Whether a retry of the call may succeed. */
    get isRetryable(): boolean;
}
/** The run has not ended in time; `status` is its state. */
export declare class WaitTimeout extends HandoffError {
    readonly run: string;
    readonly status: string;
    constructor(run: string, status: string);
}
/** Thrown by a step: its attempt failed. Another one follows only where it is `retryable`. */
export declare class StepError extends HandoffError {
    readonly code: string;
    readonly retryable: boolean;
    readonly details: Record<string, unknown> | undefined;
    constructor(message: string, { code, retryable, details }?: {
        code?: string;
        retryable?: boolean;
        details?: Record<string, unknown>;
    });
}
/** Thrown by a step: every other attempt would fail, too. */
export declare class NonRetryableError extends StepError {
    constructor(message: string, { code, details }?: {
        code?: string;
        details?: Record<string, unknown>;
    });
}
/** Thrown by a step that has done nothing yet: another worker gets the job, and no attempt is counted. */
export declare class Release extends HandoffError {
}
