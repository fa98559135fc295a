export { Client } from "./client.js";
export { ApiError, HandoffError, NoResponse, NonRetryableError, Release, StepError, WaitTimeout } from "./errors.js";
export { Context } from "./job.js";
export { KafkaEvents } from "./kafka.js";
export { Metrics } from "./metrics.js";
export { RedisEvents } from "./redis.js";
export { Worker } from "./worker.js";
