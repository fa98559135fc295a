/** A worker that is told of jobs by a broker. */
export interface EventReceiver {
  /** What Handoff calls the worker. */
  readonly name: string;
  /** Aborted when the worker takes no more jobs. */
  readonly signal: AbortSignal;
  /** Waits so many milliseconds at most for a free slot; gives how many are free, 0 where none is. */
  room(wait: number): Promise<number>;
  /** Claims jobs, up to as many as there is room for. Then their events are handled; it rejects where they are for others. */
  claim(ids: string[]): Promise<void>;
  warn(message: string): void;
}

/** A broker with job events: `KafkaEvents`, `RedisEvents`, or your own. */
export interface Events {
  /**
   * Takes the events of a queue, while the worker has room, and acknowledges those that it has claimed, until the signal of the
   * receiver is aborted. It may reject with any error of the broker's client: it is called again after a pause.
   */
  consume(queue: string, receiver: EventReceiver): Promise<void>;
}

/** The field or header of an event that is the id of its job. */
export const JOB_ID = "job-id";
export const MOST_AT_ONCE = 100;
/** How many milliseconds is waited for events or a free slot, before something else is looked at. */
export const TAKE = 1_000;

/** The topic or stream of a queue; the tenant `default`, or none, has no name of its own in it. */
export function topicOf(queue: string, tenant = ""): string {
  return `${prefix(tenant)}workflow.jobs.${queue}`;
}

/** The consumer group of a queue's workers: each event goes to one of them. */
export function groupOf(queue: string, tenant = ""): string {
  return `${prefix(tenant)}workflow.workers.${queue}`;
}

/** Whether this can be the id of a job. */
export function isJobId(text: unknown): text is string {
  return typeof text === "string" && /^[ -~]{1,200}$/.test(text);
}

function prefix(tenant: string): string {
  return tenant === "" || tenant === "default" ? "" : `${tenant}.`;
}
