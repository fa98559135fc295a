export { Client, type CallOptions, type Connection, type Json, type Run } from "./client.js";
export { ApiError, HandoffError, NoResponse, NonRetryableError, Release, StepError, WaitTimeout } from "./errors.js";
export type { EventReceiver, Events } from "./events.js";
export { Context, type Job, type LogLevel } from "./job.js";
export { type KafkaClient, KafkaEvents } from "./kafka.js";
export { Metrics } from "./metrics.js";
export { type RedisClient, RedisEvents } from "./redis.js";
export type { JobResult, Watcher } from "./watcher.js";
export { Worker, type Step, type WorkerOptions } from "./worker.js";
