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
    approval: {
        id: string;
        digest: string;
    } | null;
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
/** So much of a text without what Handoff can't store: NUL, and halves of surrogate pairs. */
export declare function storable(text: string, most: number): string;
/** One attempt at a step, as its function is given it. */
export declare class Context {
    #private;
    /** All of the job, as it was polled. */
    readonly job: Job;
    /** Variables of the run that are set when the job is done. */
    readonly variables: Record<string, Json>;
    /** Aborted when nobody wants the result any more: the run is being cancelled, or the lease is lost. */
    readonly signal: AbortSignal;
    constructor(
    /** All of the job, as it was polled. */
    job: Job, held: Claim, beat: () => void);
    get input(): any;
    get params(): any;
    get node(): string;
    get runId(): string;
    /** Which attempt this is, from 1. */
    get attempt(): number;
    get retriesRemaining(): number;
    /** What the attempt before told last: go on from there. */
    get progress(): any;
    /** The newest decision of people that covers the job; null where none does. */
    get approval(): {
        id: string;
        digest: string;
    } | null;
    /** The same for every attempt with the same input: pass it on to whatever the step calls. */
    get idempotencyKey(): string;
    get isCancelled(): boolean;
    /** Says a line for people who look at the run; 200 of an attempt are kept, of a line 2,000 characters. */
    log(text: unknown, level?: LogLevel): void;
    /**
     * Tells how far the step is, any JSON value of up to 64 KiB: pages show it, and the next attempt gets it. Throws TypeError
     * where it is none.
     */
    heartbeat(progress?: Json): void;
}
/**
 * How many milliseconds a lease lasts at the least and at the most, by the clock of a server whose answer has this date, not by
 * this machine's. A date says the second alone; where it is NaN there is only this machine's clock.
 */
export declare function leaseOf(expires: number, date: number): [least: number, most: number];
/** A job in hand. */
export declare class Claim {
    readonly job: Job;
    readonly cancellation: AbortController;
    lines: Line[];
    said: number;
    news: {
        progress?: Json;
    };
    /** There is one call at a time that renews its lease. */
    isTelling: boolean;
    /** When its lease is over, and when it is renewed; by the monotonic clock, which nobody sets. */
    ends: number;
    beatAt: number;
    constructor(job: Job, date: number);
    /** Its lease goes on until then, as an answer of this date says; when a third of it is over it is renewed again. */
    renew(expires: string, date: number): void;
    /** Forgets what a call has reported; returns whether there is more to report. */
    forget(lastLine: number, news: {
        progress?: Json;
    }): boolean;
    /** Its item in a call: its id, lease and log lines, with further fields. */
    item(more: Record<string, unknown>): Record<string, unknown>;
}
