import { type Connection } from "./client.js";
import type { Events } from "./events.js";
import { Context } from "./job.js";
import type { Watcher } from "./watcher.js";
/** Does the jobs of a node; what it gives is the output of the step. */
export type Step = (ctx: Context) => unknown;
export interface WorkerOptions extends Connection {
    /** How many jobs it does at once. */
    slots?: number;
    /** What Handoff calls it, and its code. */
    name?: string;
    version?: string;
    /** How many milliseconds a poll waits for jobs. */
    pollWait?: number;
    /** How long held jobs may take after it is stopped, in milliseconds. */
    drain?: number;
    /** Receives its log messages. */
    logger?: Pick<Console, "info" | "warn" | "error">;
    /** Receives its events, such as `Metrics`. */
    watcher?: Watcher;
    /** Where the gRPC service is, as http://127.0.0.1:9090 or https://…: jobs come by a stream, and nothing is polled. */
    grpc?: string;
    /** A broker with job events, instead of polling: `KafkaEvents` or `RedisEvents`. */
    events?: Events;
}
/** Takes jobs and does them. */
export declare class Worker {
    #private;
    /** Throws where nobody says which address and token, and for both `grpc` and `events`. */
    constructor({ url, token, ...options }?: WorkerOptions);
    /** Has a function do the jobs of a node; `queue` is the node's, where it is not called like it. */
    step(node: string, step: Step, { queue }?: {
        queue?: string;
    }): this;
    /**
     * Works until `stop`, SIGTERM or SIGINT, and then until what is in hand has ended. Throws ApiError where Handoff
     * refuses the worker: its token is not valid, or a queue.
     */
    run(): Promise<void>;
    /** As `run`, without a handler of signals. */
    serve(): Promise<void>;
    /** Takes no more jobs, and ends when those in hand are done. */
    stop(): void;
}
