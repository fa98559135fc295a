export { Client, type CallOptions, type Connection, type Json, type Run } from "./client.js";
export { ApiError, GiveBack, HandoffError, NoAnswer, NonRetryableError, StepError, StillOpen } from "./errors.js";
export { Context, type Level, type PolledJob } from "./job.js";
export { Metrics } from "./metrics.js";
export type { Became, Watcher } from "./watcher.js";
export { Worker, type Step, type WorkerOptions } from "./worker.js";
