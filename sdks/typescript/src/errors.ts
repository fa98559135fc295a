/** The base class of all errors of this package. */
export class HandoffError extends Error {
  constructor(message?: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** There was no response; `isSent` says whether the server may have got the call. */
export class NoResponse extends HandoffError {
  constructor(
    message: string,
    readonly isSent: boolean,
  ) {
    super(message);
  }
}

const AGAIN = new Set([408, 425, 429, 500, 502, 503, 504]);

/** An error response: `code` and `field` name the cause, `requestId` identifies the call in the server's log. */
export class ApiError extends HandoffError {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly reason: string,
    readonly field?: string,
    readonly details: Record<string, unknown> = {},
    readonly requestId?: string,
    /** Seconds after which the call may be sent again. */
    readonly retryAfter?: number,
  ) {
    super(`${code} (${status}): ${reason}${field ? ` [${field}]` : ""}`);
  }

  /** Whether a retry of the call may succeed. */
  get isRetryable(): boolean {
    return AGAIN.has(this.status) || this.code === "in_progress";
  }
}

/** The run has not ended in time; `status` is its state. */
export class WaitTimeout extends HandoffError {
  constructor(
    readonly run: string,
    readonly status: string,
  ) {
    super(`The run ${run} is ${status}.`);
  }
}

/** Thrown by a step: its attempt failed. Another one follows only where it is `retryable`. */
export class StepError extends HandoffError {
  readonly code: string;
  readonly retryable: boolean;
  readonly details: Record<string, unknown> | undefined;

  constructor(
    message: string,
    { code = "StepError", retryable = true, details }: { code?: string; retryable?: boolean; details?: Record<string, unknown> } = {},
  ) {
    super(message);
    this.code = code;
    this.retryable = retryable;
    this.details = details;
  }
}

/** Thrown by a step: every other attempt would fail, too. */
export class NonRetryableError extends StepError {
  constructor(message: string, { code = "NonRetryableError", details }: { code?: string; details?: Record<string, unknown> } = {}) {
    super(message, { code, retryable: false, ...(details && { details }) });
  }
}

/** Thrown by a step that has done nothing yet: another worker gets the job, and no attempt is counted. */
export class Release extends HandoffError {}
