import type { Job } from "./job.js";
import type { Reporter, Result, Verb } from "./reporting.js";
import { type Taking } from "./taking.js";
/** The service handoff.v1.Jobs at an address such as http://127.0.0.1:9090; https:// is TLS. */
export declare class GrpcJobs implements Reporter {
    #private;
    /** Throws where the address is none. */
    constructor(address: string, token: string);
    /** Gives the worker jobs as they come. Throws ApiError that no other try would change. */
    stream(worker: Taking): Promise<void>;
    /** As `Reporter.report`: a call for each job, all at once. */
    report(verb: Verb, items: Record<string, unknown>[]): Promise<{
        results: Result[];
        date: number;
    }>;
    release(job: Job): Promise<Result>;
    close(): void;
}
