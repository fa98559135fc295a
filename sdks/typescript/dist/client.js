import { randomUUID } from "node:crypto";
import { ApiError, NoResponse, WaitTimeout } from "./errors.js";
const OPEN = new Set(["PENDING", "WAITING", "RUNNING", "PAUSED", "FAILING", "CANCELLING", "COMPENSATING", "WAITING_FOR_MANUAL_ACTION"]);
const READ = 30_000;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
const MOST_ASKED = 60_000;
/** A client of the API. */
export class Client {
    #url;
    #token;
    /** Throws where nobody says which address and token. */
    constructor({ url = process.env["HANDOFF"], token = process.env["TOKEN"] } = {}) {
        if (!url || !token)
            throw new Error("Say where Handoff is and with which token: url and token, or HANDOFF and TOKEN.");
        this.#url = url.replace(/\/+$/, "");
        this.#token = token;
    }
    /** Starts a run; with a business key that the workflow has a run of, it gives that one. */
    start(workflow, input = {}, { businessKey, ...options } = {}) {
        const body = { workflow, input, ...(businessKey !== undefined && { business_key: businessKey }) };
        return this.call("POST", "/runs", { ...options, body });
    }
    /** A run as it stands. */
    run(id) {
        return this.call("GET", `/runs/${encodeURIComponent(id)}`);
    }
    /** The run when it has ended; it is looked at less and less often. Throws WaitTimeout after so many milliseconds. */
    async wait(id, { timeout = 300_000, signal } = {}) {
        const until = Date.now() + timeout;
        for (let pause = 50;; pause = Math.min(pause * 1.5, 2_000)) {
            signal?.throwIfAborted();
            const run = await this.run(id);
            if (!OPEN.has(run.status))
                return run;
            if (Date.now() >= until)
                throw new WaitTimeout(id, run.status);
            await sleep(Math.min(jitter(pause), Math.max(until - Date.now(), 0)), signal);
        }
    }
    /**
     * Sends a signal to a run; one with the same id counts once. Of several waits in the run and the runs below it the
     * oldest takes it; `target` restricts it to those of a run below or of an item, or sends it to all.
     */
    signal(run, name, payload = null, id = randomUUID(), target = {}) {
        const body = { name, signal_id: id, payload, ...target };
        return this.call("POST", `/runs/${encodeURIComponent(run)}/signals`, { body });
    }
    /**
     * Does a verb to a step of a run, or with `index` to an item of it; without, where the step waits for a run, to that.
     * `output` is what a skipped one counts as giving. Gives the run as it stands then.
     */
    act(run, node, verb, options = {}) {
        const body = verb === "skip" ? { output: null, ...options } : options;
        return this.call("POST", `/runs/${encodeURIComponent(run)}/steps/${encodeURIComponent(node)}/${verb}`, { body });
    }
    /** Cancels a run; what runs in it is awaited. */
    cancel(run, reason) {
        return this.call("POST", `/runs/${encodeURIComponent(run)}/cancel`, { body: reason === undefined ? {} : { reason } });
    }
    /** All items of a list, page by page. */
    async *pages(path, query = {}) {
        for (let cursor;;) {
            const page = await this.call("GET", path, { query: { ...query, cursor } });
            yield* page.results;
            if (!page.next)
                return;
            cursor = new URL(page.next, this.#url).searchParams.get("cursor") ?? undefined;
        }
    }
    /**
     * Any call of the API, by its path below the address. Reading is sent again where that may help, and so is what has a
     * key. Throws ApiError where Handoff refuses, NoResponse where nobody answers.
     */
    async call(method, path, options = {}) {
        const { retries = 4 } = options;
        const key = options.idempotencyKey ?? (method === "POST" && retries > 0 ? randomUUID() : undefined);
        for (let done = 0;; done += 1) {
            try {
                return await this.#once(method, path, options, key);
            }
            catch (error) {
                if (done >= retries || options.signal?.aborted || !mayRepeat(error, method === "GET" || key !== undefined))
                    throw error;
                await sleep(pauseAfter(error, done), options.signal);
            }
        }
    }
    async #once(method, path, options, key) {
        const address = new URL(this.#url + path);
        for (const [name, value] of Object.entries(options.query ?? {}))
            if (value !== undefined)
                address.searchParams.set(name, String(value));
        const headers = { Authorization: `Bearer ${this.#token}`, "User-Agent": "handoff-sdk-typescript" };
        if (options.body !== undefined)
            headers["Content-Type"] = "application/json";
        if (key !== undefined)
            headers["Idempotency-Key"] = key;
        const limit = AbortSignal.timeout(options.timeout ?? READ);
        const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
        const body = options.body === undefined ? null : JSON.stringify(options.body);
        let status, told, head, words;
        try {
            const answer = await fetch(address, { method, headers, body, signal, redirect: "manual" });
            ({ status, headers: head, statusText: words } = answer);
            told = await answer.text();
        }
        catch (error) {
            throw noResponse(error);
        }
        if (status >= 300 || status === 0)
            throw refusal(status, words, told, head);
        options.onDate?.(Date.parse(head.get("Date") ?? ""));
        return (told ? JSON.parse(told) : null);
    }
}
function noResponse(error) {
    const { message, cause } = error;
    return new NoResponse(`${message}${cause?.message ? `: ${cause.message}` : ""}`, cause?.code !== "ECONNREFUSED");
}
function refusal(status, words, told, head) {
    let body = {};
    try {
        body = JSON.parse(told);
    }
    catch {
        // A proxy answers otherwise: then there is only the status.
    }
    const error = (typeof body === "object" && body?.error) || {};
    const after = Number.parseFloat(head.get("Retry-After") ?? "");
    return new ApiError(status, String(error["code"] ?? "no_code"), String(error["message"] ?? words), error["field"], error["details"] ?? {}, body?.request_id, Number.isFinite(after) ? Math.max(after, 0) : undefined);
}
/** What may have been done is sent again only where twice counts once. */
function mayRepeat(error, isSafe) {
    if (error instanceof NoResponse)
        return isSafe || !error.isSent;
    return error instanceof ApiError && error.isRetryable && (isSafe || error.status === 429);
}
/** How many milliseconds to wait before the next try. */
export function pauseAfter(error, done) {
    const pause = Math.random() * Math.min(FIRST_PAUSE * 2 ** done, LONGEST_PAUSE);
    const least = error instanceof ApiError ? error.retryAfter : undefined;
    return least === undefined ? pause : Math.min(least * 1000, MOST_ASKED) + Math.min(pause, 1_000);
}
/** A pause that others don't have, too. */
export const jitter = (pause) => pause * (0.75 + Math.random() / 4);
/** Waits so many milliseconds, or until the signal is aborted. */
export function sleep(pause, signal) {
    return new Promise((done) => {
        if (signal?.aborted)
            return done();
        const end = () => {
            clearTimeout(timer);
            signal?.removeEventListener("abort", end);
            done();
        };
        const timer = setTimeout(end, pause);
        signal?.addEventListener("abort", end);
    });
}
