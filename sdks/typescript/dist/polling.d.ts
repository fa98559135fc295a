import { type Client } from "./client.js";
import { type Taking } from "./taking.js";
/** Some of the queues where there are more than a call may name. */
export declare function some(queues: string[]): string[];
/** Polls for jobs while the worker has room. Throws ApiError that no other try would change. */
export declare function poll(client: Client, wait: number, worker: Taking): Promise<void>;
/** Waits before the next try; throws the error where no other try would change it. */
export declare function pauseOrThrow(error: unknown, failures: number, worker: Taking): Promise<void>;
