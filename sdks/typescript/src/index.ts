export { Client, type CallOptions, type Connection, type Json, type Run } from "./client.js";
export { ApiError, HandoffError, NoResponse, NonRetryableError, Release, StepError, WaitTimeout } from "./errors.js";
export { Context, type Job, type LogLevel } from "./job.js";
export { Metrics } from "./metrics.js";
export type { JobResult, Watcher } from "./watcher.js";
export { Worker, type Step, type WorkerOptions } from "./worker.js";
