/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | {
    [name: string]: Json;
};
/** A run as the API shows it. */
export interface Run {
    id: string;
    workflow: string;
    status: string;
    business_key: string | null;
    waiting_for: string | null;
    input: Json;
    output: Json;
    error: {
        code: string;
        message: string;
        node?: string;
        details?: Json;
    } | null;
    steps?: Record<string, Json>[];
    [field: string]: unknown;
}
/** Where Handoff is and with which token; `HANDOFF` and `TOKEN` of the environment where it is left out. */
export interface Connection {
    url?: string;
    token?: string;
}
/** What a call may have besides its body. */
export interface CallOptions {
    body?: unknown;
    query?: Record<string, string | number | boolean | undefined>;
    /** Calls with the same key have their effect once; generated for a POST unless `retries` is 0. */
    idempotencyKey?: string;
    /** How often it is retried at most. */
    retries?: number;
    signal?: AbortSignal;
    /** How many milliseconds to wait for the response. */
    timeout?: number;
    /** Called with the `Date` of the response, in milliseconds; NaN if it has none. */
    onDate?: (date: number) => void;
}
/** A client of the API. */
export declare class Client {
    #private;
    /** Throws where nobody says which address and token. */
    constructor({ url, token }?: Connection);
    /** Starts a run; with a business key that the workflow has a run of, it gives that one. */
    start(workflow: string, input?: Json, { businessKey, ...options }?: {
        businessKey?: string;
    } & CallOptions): Promise<Run>;
    /** A run as it stands. */
    run(id: string): Promise<Run>;
    /** The run when it has ended; it is looked at less and less often. Throws WaitTimeout after so many milliseconds. */
    wait(id: string, { timeout, signal }?: {
        timeout?: number;
        signal?: AbortSignal;
    }): Promise<Run>;
    /**
     * Sends a signal to a run; one with the same id counts once. Of several waits in the run and the runs below it the
     * oldest takes it; `target` restricts it to those of a run below or of an item, or sends it to all.
     */
    signal(run: string, name: string, payload?: Json, id?: string, target?: {
        child?: string;
        index?: number;
        all?: boolean;
    }): Promise<Json>;
    /**
     * Does a verb to a step of a run, or with `index` to an item of it; without, where the step waits for a run, to that.
     * `output` is what a skipped one counts as giving. Gives the run as it stands then.
     */
    act(run: string, node: string, verb: "retry" | "skip" | "cancel" | "pause" | "unpause" | "resume", options?: {
        index?: number;
        output?: Json;
        reason?: string;
    }): Promise<Run>;
    /** Cancels a run; what runs in it is awaited. */
    cancel(run: string, reason?: string): Promise<Json>;
    /** All items of a list, page by page. */
    pages<T = Json>(path: string, query?: NonNullable<CallOptions["query"]>): AsyncGenerator<T>;
    /**
     * Any call of the API, by its path below the address. Reading is sent again where that may help, and so is what has a
     * key. Throws ApiError where Handoff refuses, NoResponse where nobody answers.
     */
    call<T>(method: string, path: string, options?: CallOptions): Promise<T>;
}
/** How many milliseconds to wait before the next try. */
export declare function pauseAfter(error: unknown, done: number): number;
/** A pause that others don't have, too. */
export declare const jitter: (pause: number) => number;
/** Waits so many milliseconds, or until the signal is aborted. */
export declare function sleep(pause: number, signal?: AbortSignal): Promise<void>;
