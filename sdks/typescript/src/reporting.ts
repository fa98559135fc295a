import type { Client } from "./client.js";
import type { Job } from "./job.js";

/** What Handoff says to a report on a job. */
export interface Result {
  id: string;
  applied: boolean;
  reason?: string;
  message?: string;
  cancel_requested?: boolean;
  lease_expires_at?: string;
}

export type Verb = "complete" | "fail" | "heartbeat";

/** How reports on jobs reach Handoff. Its methods throw ApiError and NoResponse. */
export interface Reporter {
  /** Sends the reports once; `date` is that of the answer, in milliseconds. */
  report(verb: Verb, items: Record<string, unknown>[]): Promise<{ results: Result[]; date: number }>;
  release(job: Job): Promise<Result>;
  close(): void;
}

/** Reports over REST. */
export class RestReporter implements Reporter {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async report(verb: Verb, items: Record<string, unknown>[]): Promise<{ results: Result[]; date: number }> {
    let date = NaN;
    const options = { body: { items }, retries: 0, onDate: (at: number) => (date = at) };
    const { results } = await this.#client.call<{ results: Result[] }>("POST", `/jobs/${verb}`, options);
    return { results, date };
  }

  release(job: Job): Promise<Result> {
    // Saying it twice does no harm.
    return this.#client.call<Result>("POST", `/jobs/${job.id}/release`, { body: { lease_token: job.lease_token } });
  }

  close(): void {}
}
