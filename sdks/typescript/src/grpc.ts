import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from "node:http2";
import { ApiError, NoResponse } from "./errors.js";
import type { Job } from "./job.js";
import { pauseOrThrow, some } from "./polling.js";
import { decode, encode, JOB, JOB_ANSWER, type Message, STREAM_JOBS, VERBS } from "./protobuf.js";
import type { Reporter, Result, Verb } from "./reporting.js";
import { about, type Taking } from "./taking.js";

const ANSWER = 30_000;
const PING = 20_000; // the server refuses clients that ping more than every 10 s
const MOST_JOBS = 1_000; // the server takes no greater `max_jobs`
const MOST_BYTES = 64 << 20;
const PREFIX = 5; // a byte that says whether the message is compressed, and its length
/** The statuses of HTTP that docs/grpc.md has for those of gRPC. */
const STATUS: Record<number, number> = { 3: 400, 5: 404, 7: 403, 8: 429, 9: 409, 10: 412, 12: 501, 13: 500, 14: 503, 16: 401 };

/** The service handoff.v1.Jobs at an address such as http://127.0.0.1:9090; https:// is TLS. */
export class GrpcJobs implements Reporter {
  readonly #address: URL;
  readonly #token: string;
  #session: ClientHttp2Session | undefined;

  /** Throws where the address is none. */
  constructor(address: string, token: string) {
    if (!/^https?:\/\//.test(address)) throw new Error(`grpc must begin with http:// or https://, not ${address}.`);
    this.#address = new URL(address);
    this.#token = token;
  }

  /** Gives the worker jobs as they come. Throws ApiError that no other try would change. */
  async stream(worker: Taking): Promise<void> {
    for (let failures = 0; !worker.signal.aborted; ) {
      const began = performance.now();
      const queues = some(worker.queues);
      const weights = queues.map((key) => ({ key, value: 1 }));
      const request = encode(STREAM_JOBS, { ...about(worker), queues, weights, max_jobs: Math.min(worker.slots, MOST_JOBS) });
      try {
        await this.#call("StreamJobs", request, { signal: worker.signal }, (message) => {
          failures = 0;
          worker.watcher.pollSucceeded?.(1, (performance.now() - began) / 1000);
          const { sent_at, ...job } = decode(JOB, message);
          const missing = { attempt: 0, retries_remaining: 0, progress: null, approval: null };
          worker.begin({ ...missing, ...job } as unknown as Job, date(sent_at));
        });
        throw new NoResponse("The stream has ended.", true);
      } catch (error) {
        if (!worker.signal.aborted) await pauseOrThrow(error, failures++, worker);
      }
    }
  }

  /** As `Reporter.report`: a call for each job, all at once. */
  async report(verb: Verb, items: Record<string, unknown>[]): Promise<{ results: Result[]; date: number }> {
    const answers = await Promise.allSettled(items.map((item) => this.#report(verb, item)));
    const failed = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason as unknown] : []));
    const refused = failed.find((error) => error instanceof ApiError && !error.isRetryable);
    if (refused || failed.length === items.length) throw refused ?? failed[0];
    const results = answers.map((answer, place) =>
      answer.status === "fulfilled" ? answer.value : { id: String(items[place]?.["id"]), applied: false, reason: "unavailable" },
    );
    // A job that is not found has an answer without a date.
    const dates = answers.map((answer) => (answer.status === "fulfilled" ? date(answer.value.sent_at) : NaN)).filter((at) => !Number.isNaN(at));
    return { results, date: dates.length ? Math.max(...dates) : NaN };
  }

  release(job: Job): Promise<Result> {
    return this.#report("release", { id: job.id, lease_token: job.lease_token });
  }

  close(): void {
    this.#session?.close();
    this.#session = undefined;
  }

  async #report(verb: keyof typeof VERBS, { id, ...item }: Record<string, unknown>): Promise<Result & { sent_at?: unknown }> {
    const method = `${verb[0]!.toUpperCase()}${verb.slice(1)}Job`;
    let told: Record<string, unknown> = {};
    try {
      const request = encode(VERBS[verb] as Message, { ...item, job_id: id });
      await this.#call(method, request, { timeout: ANSWER }, (message) => (told = decode(JOB_ANSWER, message)));
    } catch (error) {
      // As the answers of REST for many jobs say it.
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      return { id: String(id), applied: false, reason: error.code, message: error.reason };
    }
    return { applied: false, ...told, id: String(id) };
  }

  /** Makes a call; `onMessage` is given each message of the answer. Throws ApiError and NoResponse. */
  #call(method: string, request: Buffer, limits: { signal?: AbortSignal; timeout?: number }, onMessage: (message: Buffer) => void): Promise<void> {
    const prefix = Buffer.alloc(PREFIX);
    prefix.writeUInt32BE(request.length, 1);
    return new Promise((done, fail) => {
      const call = this.#open(method, limits.timeout);
      const cancel = () => call.close(constants.NGHTTP2_CANCEL);
      const timer = limits.timeout === undefined ? undefined : setTimeout(cancel, limits.timeout + 1_000);
      let head: IncomingHttpHeaders = {};
      let trouble: Error | undefined;
      limits.signal?.addEventListener("abort", cancel);
      call.on("response", (headers) => (head = headers));
      call.on("trailers", (headers) => (head = { ...head, ...headers }));
      call.on("data", messages(onMessage, (error) => ((trouble = error), cancel())));
      call.on("error", (error) => (trouble ??= error));
      call.on("close", () => {
        clearTimeout(timer);
        limits.signal?.removeEventListener("abort", cancel);
        const error = problemOf(head, trouble);
        if (error) fail(error);
        else done();
      });
      call.end(Buffer.concat([prefix, request]));
      if (limits.signal?.aborted) cancel();
    });
  }

  #open(method: string, timeout?: number): ClientHttp2Stream {
    const session = this.#connected();
    return session.request({
      ":method": "POST",
      ":path": `/handoff.v1.Jobs/${method}`,
      "content-type": "application/grpc",
      te: "trailers",
      "user-agent": "handoff-sdk-typescript",
      authorization: `Bearer ${this.#token}`,
      ...(timeout !== undefined && { "grpc-timeout": `${timeout}m` }),
    });
  }

  #connected(): ClientHttp2Session {
    if (this.#session && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const session = connect(this.#address);
    const forget = () => {
      if (this.#session === session) this.#session = undefined;
    };
    let isAnswered = true;
    // Nobody says that a host is gone: a ping without an answer does.
    const pings = setInterval(() => {
      if (!isAnswered) return session.destroy(new Error("The server does not answer pings."));
      isAnswered = false;
      session.ping((error) => (isAnswered = !error));
    }, PING);
    pings.unref();
    session.on("error", forget).on("goaway", forget);
    session.on("close", () => {
      forget();
      clearInterval(pings);
    });
    return (this.#session = session);
  }
}

const date = (sentAt: unknown): number => Date.parse(String(sentAt));

/** Takes chunks, and gives the messages in them. */
function messages(onMessage: (message: Buffer) => void, fail: (error: Error) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let size = 0;
  let needed = PREFIX;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    while (size >= needed) {
      const all: Buffer = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      const length = all.readUInt32BE(1);
      if (all[0] !== 0 || length > MOST_BYTES) return fail(new Error(`There is a message of ${length} bytes, or a compressed one.`));
      chunks = [all];
      needed = PREFIX + length;
      if (size < needed) return;
      try {
        onMessage(all.subarray(PREFIX, needed));
      } catch (error) {
        return fail(error as Error);
      }
      chunks = [all.subarray(needed)];
      size -= needed;
      needed = PREFIX;
    }
  };
}

/** What the end of a call says; undefined where all is well. */
function problemOf(head: IncomingHttpHeaders, trouble: Error | undefined): Error | undefined {
  const text = (name: string) => (head[name] === undefined ? undefined : String(head[name]));
  const http = head[":status"];
  if (http !== undefined && Number(http) !== 200) return new ApiError(Number(http), "no_code", `The answer has the status ${http}.`);
  const status = text("grpc-status");
  if (status === undefined) return new NoResponse(trouble?.message ?? "The call was broken off.", true);
  if (status === "0") return undefined;
  const message = unescaped(text("grpc-message") ?? `The call ended with ${status}.`);
  // Its own deadline, or the server's side of a cancellation.
  if (status === "4" || status === "1") return new NoResponse(message, true);
  let error: { field?: string; details?: Record<string, unknown> } = {};
  try {
    error = JSON.parse(Buffer.from(text("handoff-error-bin") ?? "", "base64").toString()) as typeof error;
  } catch {
    // A proxy answers otherwise: then there is only the status.
  }
  const after = Number.parseFloat(text("retry-after") ?? "");
  return new ApiError(
    STATUS[Number(status)] ?? 500,
    text("handoff-code") ?? "no_code",
    message,
    error.field ?? undefined,
    error.details ?? {},
    text("x-request-id"),
    Number.isFinite(after) ? Math.max(after, 0) : undefined,
  );
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
