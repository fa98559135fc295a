import { randomUUID } from "node:crypto";
import { ApiError, NoResponse, WaitTimeout } from "./errors.js";

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A run as the API shows it. */
export interface Run {
  id: string;
  workflow: string;
  status: string;
  business_key: string | null;
  waiting_for: string | null;
  input: Json;
  output: Json;
  error: { code: string; message: string; node?: string; details?: Json } | null;
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

const OPEN = new Set(["PENDING", "WAITING", "RUNNING", "PAUSED", "FAILING", "CANCELLING", "COMPENSATING", "WAITING_FOR_MANUAL_ACTION"]);
const READ = 30_000;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
const MOST_ASKED = 60_000;

/** A client of the API. */
export class Client {
  readonly #url: string;
  readonly #token: string;

  /** Throws where nobody says which address and token. */
  constructor({ url = process.env["HANDOFF"], token = process.env["TOKEN"] }: Connection = {}) {
    if (!url || !token) throw new Error("Say where Handoff is and with which token: url and token, or HANDOFF and TOKEN.");
    this.#url = url.replace(/\/+$/, "");
    this.#token = token;
  }

  /** Starts a run; with a business key that the workflow has a run of, it gives that one. */
  start(workflow: string, input: Json = {}, { businessKey, ...options }: { businessKey?: string } & CallOptions = {}): Promise<Run> {
    const body = { workflow, input, ...(businessKey !== undefined && { business_key: businessKey }) };
    return this.call<Run>("POST", "/runs", { ...options, body });
  }

  /** A run as it stands. */
  run(id: string): Promise<Run> {
    return this.call<Run>("GET", `/runs/${encodeURIComponent(id)}`);
  }

  /** The run when it has ended; it is looked at less and less often. Throws WaitTimeout after so many milliseconds. */
  async wait(id: string, { timeout = 300_000, signal }: { timeout?: number; signal?: AbortSignal } = {}): Promise<Run> {
    const until = Date.now() + timeout;
    for (let pause = 50; ; pause = Math.min(pause * 1.5, 2_000)) {
      signal?.throwIfAborted();
      const run = await this.run(id);
      if (!OPEN.has(run.status)) return run;
      if (Date.now() >= until) throw new WaitTimeout(id, run.status);
      await sleep(Math.min(jitter(pause), Math.max(until - Date.now(), 0)), signal);
    }
  }

  /**
   * Sends a signal to a run; one with the same id counts once. Of several waits in the run and the runs below it the
   * oldest takes it; `target` restricts it to those of a run below or of an item, or sends it to all.
   */
  signal(
    run: string,
    name: string,
    payload: Json = null,
    id: string = randomUUID(),
    target: { child?: string; index?: number; all?: boolean } = {},
  ): Promise<Json> {
    const body = { name, signal_id: id, payload, ...target };
    return this.call<Json>("POST", `/runs/${encodeURIComponent(run)}/signals`, { body });
  }

  /**
   * Does a verb to a step of a run, or with `index` to an item of it; without, where the step waits for a run, to that.
   * `output` is what a skipped one counts as giving. Gives the run as it stands then.
   */
  act(
    run: string,
    node: string,
    verb: "retry" | "skip" | "cancel" | "pause" | "unpause" | "resume",
    options: { index?: number; output?: Json; reason?: string } = {},
  ): Promise<Run> {
    const body = verb === "skip" ? { output: null, ...options } : options;
    return this.call<Run>("POST", `/runs/${encodeURIComponent(run)}/steps/${encodeURIComponent(node)}/${verb}`, { body });
  }

  /** Cancels a run; what runs in it is awaited. */
  cancel(run: string, reason?: string): Promise<Json> {
    return this.call<Json>("POST", `/runs/${encodeURIComponent(run)}/cancel`, { body: reason === undefined ? {} : { reason } });
  }

  /** All items of a list, page by page. */
  async *pages<T = Json>(path: string, query: NonNullable<CallOptions["query"]> = {}): AsyncGenerator<T> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.call<{ results: T[]; next: string | null }>("GET", path, { query: { ...query, cursor } });
      yield* page.results;
      if (!page.next) return;
      cursor = new URL(page.next, this.#url).searchParams.get("cursor") ?? undefined;
    }
  }

  /**
   * Any call of the API, by its path below the address. Reading is sent again where that may help, and so is what has a
   * key. Throws ApiError where Handoff refuses, NoResponse where nobody answers.
   */
  async call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
    const { retries = 4 } = options;
    const key = options.idempotencyKey ?? (method === "POST" && retries > 0 ? randomUUID() : undefined);
    for (let done = 0; ; done += 1) {
      try {
        return await this.#once<T>(method, path, options, key);
      } catch (error) {
        if (done >= retries || options.signal?.aborted || !mayRepeat(error, method === "GET" || key !== undefined)) throw error;
        await sleep(pauseAfter(error, done), options.signal);
      }
    }
  }

  async #once<T>(method: string, path: string, options: CallOptions, key: string | undefined): Promise<T> {
    const address = new URL(this.#url + path);
    for (const [name, value] of Object.entries(options.query ?? {})) if (value !== undefined) address.searchParams.set(name, String(value));
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#token}`, "User-Agent": "handoff-sdk-typescript" };
    if (options.body !== undefined) headers["Content-Type"] = "application/json";
    if (key !== undefined) headers["Idempotency-Key"] = key;
    const limit = AbortSignal.timeout(options.timeout ?? READ);
    const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
    const body = options.body === undefined ? null : JSON.stringify(options.body);
    let status: number, told: string, head: Headers, words: string;
    try {
      const answer = await fetch(address, { method, headers, body, signal, redirect: "manual" });
      ({ status, headers: head, statusText: words } = answer);
      told = await answer.text();
    } catch (error) {
      throw noResponse(error);
    }
    if (status >= 300 || status === 0) throw refusal(status, words, told, head);
    options.onDate?.(Date.parse(head.get("Date") ?? ""));
    return (told ? JSON.parse(told) : null) as T;
  }
}

function noResponse(error: unknown): NoResponse {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return new NoResponse(`${message}${cause?.message ? `: ${cause.message}` : ""}`, cause?.code !== "ECONNREFUSED");
}

function refusal(status: number, words: string, told: string, head: Headers): ApiError {
  let body: { error?: Record<string, unknown>; request_id?: string } = {};
  try {
    body = JSON.parse(told) as typeof body;
  } catch {
    // A proxy answers otherwise: then there is only the status.
  }
  const error = (typeof body === "object" && body?.error) || {};
  const after = Number.parseFloat(head.get("Retry-After") ?? "");
  return new ApiError(
    status,
    String(error["code"] ?? "no_code"),
    String(error["message"] ?? words),
    error["field"] as string | undefined,
    (error["details"] as Record<string, unknown> | null) ?? {},
    body?.request_id,
    Number.isFinite(after) ? Math.max(after, 0) : undefined,
  );
}

/** What may have been done is sent again only where twice counts once. */
function mayRepeat(error: unknown, isSafe: boolean): boolean {
  if (error instanceof NoResponse) return isSafe || !error.isSent;
  return error instanceof ApiError && error.isRetryable && (isSafe || error.status === 429);
}

/** How many milliseconds to wait before the next try. */
export function pauseAfter(error: unknown, done: number): number {
  const pause = Math.random() * Math.min(FIRST_PAUSE * 2 ** done, LONGEST_PAUSE);
  const least = error instanceof ApiError ? error.retryAfter : undefined;
  return least === undefined ? pause : Math.min(least * 1000, MOST_ASKED) + Math.min(pause, 1_000);
}

/** A pause that others don't have, too. */
export const jitter = (pause: number): number => pause * (0.75 + Math.random() / 4);

/** Waits so many milliseconds, or until the signal is aborted. */
export function sleep(pause: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal?.aborted) return done();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, pause);
    signal?.addEventListener("abort", end);
  });
}
