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
    report(verb: Verb, items: Record<string, unknown>[]): Promise<{
        results: Result[];
        date: number;
    }>;
    release(job: Job): Promise<Result>;
    close(): void;
}
/** Reports over REST. */
export declare class RestReporter implements Reporter {
    #private;
    constructor(client: Client);
    report(verb: Verb, items: Record<string, unknown>[]): Promise<{
        results: Result[];
        date: number;
    }>;
    release(job: Job): Promise<Result>;
    close(): void;
}
