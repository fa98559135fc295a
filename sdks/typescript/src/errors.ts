/** What every error of this package is. */
export class HandoffError extends Error {
  constructor(message?: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** Nobody answered; `sent` says whether the call may have been done all the same. */
export class NoAnswer extends HandoffError {
  constructor(
    message: string,
    readonly sent: boolean,
  ) {
    super(message);
  }
}

const AGAIN = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Handoff refused: `code` says why, `field` what of the call; `requestId` is what its log calls it. */
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

  /** Whether the same call may be answered otherwise in a while. */
  get mayGoBetter(): boolean {
    return AGAIN.has(this.status) || this.code === "in_progress";
  }
}

/** The run has not ended in time; `status` is how it stands. */
export class StillOpen extends HandoffError {
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

/** Thrown by a step that has done nothing yet: another worker is given the job, and no attempt is counted. */
export class GiveBack extends HandoffError {}
