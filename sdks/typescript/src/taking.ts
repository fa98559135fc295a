import type { Job } from "./job.js";
import type { Watcher } from "./watcher.js";

/** How many jobs a call leases at most, and how many queues it names. */
export const MOST_JOBS = 100;
export const MOST_QUEUES = 50;

/** A worker, as whatever gives it jobs sees it. */
export interface Taking {
  readonly name: string;
  readonly version: string | undefined;
  readonly slots: number;
  readonly queues: string[];
  /** Aborted when it takes no more jobs. */
  readonly signal: AbortSignal;
  readonly logger: Pick<Console, "info" | "warn" | "error">;
  readonly watcher: Watcher;
  /** How many jobs it has room for. */
  free(): number;
  /** Resolves when a job has ended, and when the worker is stopped. */
  slotChange(): Promise<void>;
  /** Has it do a job that was leased by an answer of this date, in milliseconds; NaN where the answer has none. */
  begin(job: Job, date: number): void;
}

/** What a call says of the worker. */
export function about({ name, version, slots, queues }: Taking): Record<string, unknown> {
  return { worker_id: name, queues, slots, ...(version && { version }) };
}
