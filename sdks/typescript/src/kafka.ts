import { type EventReceiver, type Events, groupOf, isJobId, JOB_ID, MOST_AT_ONCE, TAKE, topicOf } from "./events.js";

interface Message {
  offset: string;
  headers?: Record<string, unknown> | undefined;
}

interface Batch {
  batch: { topic: string; partition: number; messages: Message[] };
  resolveOffset(offset: string): void;
  isRunning(): boolean;
  isStale(): boolean;
  heartbeat(): Promise<void>;
}

/** What is used of a consumer of the package `kafkajs`. */
export interface KafkaConsumer {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  subscribe(options: { topics: string[]; fromBeginning: boolean }): Promise<void>;
  run(options: { autoCommit: boolean; eachBatchAutoResolve: boolean; eachBatch: (batch: any) => Promise<void> }): Promise<void>;
  commitOffsets(offsets: { topic: string; partition: number; offset: string }[]): Promise<void>;
  on(event: "consumer.crash", listener: (event: { payload: { error: Error } }) => void): unknown;
}

/** What is used of a `Kafka` of the package `kafkajs`. */
export interface KafkaClient {
  consumer(options: {
    groupId: string;
    sessionTimeout: number;
    allowAutoTopicCreation: boolean;
    retry: { retries: number; restartOnFailure: () => Promise<boolean> };
  }): KafkaConsumer;
}

const SESSION = 10_000;

/** Job events through Kafka, by a `new Kafka({ clientId, brokers })` of the package `kafkajs`. */
export class KafkaEvents implements Events {
  readonly #kafka: KafkaClient;
  readonly #tenant: string;

  /** `tenant`: the slug of the token's tenant, where it isn't `default`. */
  constructor(kafka: KafkaClient, { tenant = "" }: { tenant?: string } = {}) {
    this.#kafka = kafka;
    this.#tenant = tenant;
  }

  async consume(queue: string, receiver: EventReceiver): Promise<void> {
    const topic = topicOf(queue, this.#tenant);
    // The worker begins anew by itself after a crash.
    const retry = { retries: 5, restartOnFailure: () => Promise.resolve(false) };
    // Handoff creates the topics, with its number of partitions.
    const options = { groupId: groupOf(queue, this.#tenant), sessionTimeout: SESSION, allowAutoTopicCreation: false, retry };
    const consumer = this.#kafka.consumer(options);
    const over = new Promise<void>((done, fail) => {
      receiver.signal.addEventListener("abort", () => done(), { once: true });
      consumer.on("consumer.crash", ({ payload }) => fail(payload.error));
    });
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: true });
      const eachBatch = (batch: Batch) => takeBatch(batch, consumer, receiver);
      await Promise.race([over, consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch })]);
      if (!receiver.signal.aborted) await over;
    } finally {
      over.catch(() => {});
      await consumer.disconnect();
    }
  }
}

/** Claims the jobs of a batch, as many at once as there is room for, and commits what was claimed; the rest comes again. */
async function takeBatch(from: Batch, consumer: KafkaConsumer, receiver: EventReceiver): Promise<void> {
  const { topic, partition, messages } = from.batch;
  const isOver = () => receiver.signal.aborted || !from.isRunning() || from.isStale();
  for (let at = 0; at < messages.length && !isOver(); ) {
    const most = Math.min(await receiver.room(TAKE), MOST_AT_ONCE);
    await from.heartbeat();
    if (most < 1 || isOver()) continue;
    const part = messages.slice(at, at + most);
    const jobs = part.map(({ headers }) => headerOf(headers?.[JOB_ID])).filter(isJobId);
    if (jobs.length < part.length) receiver.warn(`${part.length - jobs.length} events on ${topic} have no id of a job`);
    if (jobs.length) await receiver.claim(jobs);
    at += part.length;
    from.resolveOffset(part.at(-1)!.offset);
    await consumer.commitOffsets([{ topic, partition, offset: String(BigInt(part.at(-1)!.offset) + 1n) }]);
  }
}

function headerOf(value: unknown): string {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return Buffer.isBuffer(first) ? first.toString() : String(first ?? "");
}
