import type { Json } from "./client.js";

/** A job as it is polled. */
export interface Job {
  id: string;
  run_id: string;
  workflow: string;
  node: string;
  params: Json;
  input: Json;
  attempt: number;
  max_attempts: number;
  retries_remaining: number;
  progress: Json;
  lease_token: string;
  lease_expires_at: string;
  idempotency_key: string;
  approval: { id: string; digest: string } | null;
  traceparent: string;
  tracestate: string;
}

/** A line for people who look at the run. */
export interface Line {
  text: string;
  level: LogLevel;
  at: string;
  seq: number;
}

export type LogLevel = "info" | "warning" | "error";

const MOST_LINES = 200;
const MOST_CHARACTERS = 2_000;

/** So much of a text without what Handoff can't store: NUL, and halves of surrogate pairs. */
export function storable(text: string, most: number): string {
  // A character has two units at most: what lies behind these is not looked at.
  const near = text.slice(0, 2 * most + 1).replaceAll("\0", "");
  return [...near].slice(0, most).join("").toWellFormed();
}

/** One attempt at a step, as its function is given it. */
export class Context {
  /** Variables of the run that are set when the job is done. */
  readonly variables: Record<string, Json> = {};
  /** Aborted when nobody wants the result any more: the run is being cancelled, or the lease is lost. */
  readonly signal: AbortSignal;
  readonly #beat: () => void;
  readonly #held: Claim;

  constructor(
    /** All of the job, as it was polled. */
    readonly job: Job,
    held: Claim,
    beat: () => void,
  ) {
    this.#held = held;
    this.#beat = beat;
    this.signal = held.cancellation.signal;
  }

  get input(): any {
    return this.job.input;
  }

  get params(): any {
    return this.job.params;
  }

  get node(): string {
    return this.job.node;
  }

  get runId(): string {
    return this.job.run_id;
  }

  /** Which attempt this is, from 1. */
  get attempt(): number {
    return this.job.attempt;
  }

  get retriesRemaining(): number {
    return this.job.retries_remaining;
  }

  /** What the attempt before told last: go on from there. */
  get progress(): any {
    return this.job.progress;
  }

  /** The newest decision of people that covers the job; null where none does. */
  get approval(): { id: string; digest: string } | null {
    return this.job.approval;
  }

  /** The same for every attempt with the same input: pass it on to whatever the step calls. */
  get idempotencyKey(): string {
    return this.job.idempotency_key;
  }

  get isCancelled(): boolean {
    return this.signal.aborted;
  }

  /** Says a line for people who look at the run; 200 of an attempt are kept, of a line 2,000 characters. */
  log(text: unknown, level: LogLevel = "info"): void {
    this.#held.said += 1;
    if (this.#held.said > MOST_LINES) return;
    const line = { text: storable(String(text), MOST_CHARACTERS), level, at: new Date().toISOString(), seq: this.#held.said };
    this.#held.lines.push(line);
  }

  /**
   * Tells how far the step is, any JSON value of up to 64 KiB: pages show it, and the next attempt gets it. Throws TypeError
   * where it is none.
   */
  heartbeat(progress?: Json): void {
    if (progress !== undefined) {
      JSON.stringify(progress);
      this.#held.news = { progress };
    }
    this.#beat();
  }
}

const SHORTEST_LEASE = 1_000;

/**
 * How many milliseconds a lease lasts at the least and at the most, by the clock of a server whose answer has this date, not by
 * this machine's. A date says the second alone; where it is NaN there is only this machine's clock.
 */
export function leaseOf(expires: number, date: number): [least: number, most: number] {
  const left = expires - (Number.isNaN(date) ? Date.now() : date);
  return [Math.max(left - 1_000, SHORTEST_LEASE), Math.max(left, SHORTEST_LEASE)];
}

/** A job in hand. */
export class Claim {
  readonly cancellation = new AbortController();
  lines: Line[] = [];
  said = 0;
  news: { progress?: Json } = {};
  /** There is one call at a time that renews its lease. */
  isTelling = false;
  /** When its lease is over, and when it is renewed; by the monotonic clock, which nobody sets. */
  ends = 0;
  beatAt = 0;

  constructor(
    readonly job: Job,
    date: number,
  ) {
    this.renew(job.lease_expires_at, date);
  }

  /** Its lease goes on until then, as an answer of this date says; when a third of it is over it is renewed again. */
  renew(expires: string, date: number): void {
    const [least, most] = leaseOf(Date.parse(expires), date);
    this.ends = performance.now() + most;
    this.beatAt = performance.now() + least / 3;
  }

  /** Forgets what a call has reported; returns whether there is more to report. */
  forget(lastLine: number, news: { progress?: Json }): boolean {
    this.lines = this.lines.filter((line) => line.seq > lastLine);
    if (this.news === news) this.news = {};
    return "progress" in this.news;
  }

  /** Its item in a call: its id, lease and log lines, with further fields. */
  item(more: Record<string, unknown>): Record<string, unknown> {
    return { id: this.job.id, lease_token: this.job.lease_token, ...more, ...(this.lines.length && { log: [...this.lines] }) };
  }
}
