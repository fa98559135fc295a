import { hostname } from "node:os";
import { setMaxListeners } from "node:events";
import { Client, pauseAfter, sleep } from "./client.js";
import { consume } from "./consuming.js";
import { ApiError, NoResponse, Release, StepError } from "./errors.js";
import { GrpcJobs } from "./grpc.js";
import { Claim, Context, storable } from "./job.js";
import { poll } from "./polling.js";
import { RestReporter } from "./reporting.js";
const LOOK = 250;
const LEAVE = 2_000;
const TELL = 300_000; // a result is told so long, also after its lease: it counts while nobody else has the step
const MOST_CODE = 100;
const MOST_MESSAGE = 10_000;
const MOST_STACK = 20_000;
const GONE = new Set(["stale_token", "not_found"]);
/** Takes jobs and does them. */
export class Worker {
    #client;
    #reporter;
    #options;
    #steps = new Map();
    #queues = new Set();
    #held = new Map();
    #stopping = new AbortController();
    #slotChange = nextTime();
    /** Throws where nobody says which address and token, and for both `grpc` and `events`. */
    constructor({ url, token, ...options } = {}) {
        if (options.grpc && options.events)
            throw new Error("A worker takes its jobs by gRPC or through a broker, not both.");
        this.#client = new Client({ ...(url && { url }), ...(token && { token }) });
        this.#reporter = options.grpc ? new GrpcJobs(options.grpc, token || process.env["TOKEN"]) : new RestReporter(this.#client);
        const silent = { info() { }, warn: console.warn, error: console.error };
        this.#options = { slots: 10, name: `${hostname()}-${process.pid}`, pollWait: 20_000, drain: 30_000, logger: silent, watcher: {}, ...options };
        setMaxListeners(0, this.#stopping.signal);
    }
    /** Has a function do the jobs of a node; `queue` is the node's, where it is not called like it. */
    step(node, step, { queue = node } = {}) {
        if (this.#steps.has(node))
            throw new Error(`There are two steps for ${node}.`);
        this.#steps.set(node, step);
        this.#queues.add(queue);
        return this;
    }
    /**
     * Works until `stop`, SIGTERM or SIGINT, and then until what is in hand has ended. Throws ApiError where Handoff
     * refuses the worker: its token is not valid, or a queue.
     */
    async run() {
        const stop = () => this.stop();
        process.on("SIGTERM", stop).on("SIGINT", stop);
        try {
            await this.serve();
        }
        finally {
            process.off("SIGTERM", stop).off("SIGINT", stop);
        }
    }
    /** As `run`, without a handler of signals. */
    async serve() {
        if (!this.#steps.size)
            throw new Error("A worker needs a step.");
        const beats = setInterval(() => this.#look(), LOOK);
        try {
            await this.#take();
        }
        finally {
            this.stop();
            await this.#drain();
            clearInterval(beats);
            this.#reporter.close();
        }
    }
    /** Takes no more jobs, and ends when those in hand are done. */
    stop() {
        this.#stopping.abort();
        this.#hasRoom();
    }
    #hasRoom() {
        this.#slotChange.resolve();
        this.#slotChange = nextTime();
    }
    /** Takes jobs until it is stopped. */
    #take() {
        const { events, pollWait, name, slots, version, logger, watcher } = this.#options;
        const worker = {
            ...{ name, slots, version, logger, watcher },
            queues: [...this.#queues].sort(),
            signal: this.#stopping.signal,
            free: () => slots - this.#held.size,
            slotChange: () => this.#slotChange.promise,
            begin: (job, date) => this.#begin(new Claim(job, date)),
        };
        if (this.#reporter instanceof GrpcJobs)
            return this.#reporter.stream(worker);
        return events ? consume(events, this.#client, worker) : poll(this.#client, pollWait, worker);
    }
    #begin(held) {
        const { job } = held;
        const { logger, watcher, slots } = this.#options;
        const began = performance.now();
        watcher.jobStarted?.(job.node);
        // A stream that was opened anew knows nothing of the jobs that are in hand already.
        const waits = this.#held.size >= slots;
        const work = Promise.resolve()
            .then(() => (waits ? this.#awaitSlot(held) : undefined))
            .then(() => this.#process(held))
            .catch((error) => {
            logger.error(`the result of ${job.id} could not be reported: ${error}`);
            return "unreported";
        })
            .then((result) => watcher.jobEnded?.(job.node, result, (performance.now() - began) / 1000))
            .finally(() => {
            this.#held.delete(held);
            this.#hasRoom();
        });
        this.#held.set(held, work);
    }
    /** Waits until it is one of the first that are in hand; its lease is renewed meanwhile. */
    async #awaitSlot(held) {
        while (!held.cancellation.signal.aborted && [...this.#held.keys()].indexOf(held) >= this.#options.slots)
            await this.#slotChange.promise;
    }
    async #process(held) {
        const { job } = held;
        if (held.cancellation.signal.aborted)
            return this.#release(held); // cancelled or lost while it waited for a slot
        const step = this.#steps.get(job.node);
        if (!step)
            return this.#fail(held, "UnknownStep", `The worker ${this.#options.name} has no step ${job.node}.`, false);
        const ctx = new Context(job, held, () => void this.#beat([held]));
        let output;
        try {
            output = (await step(ctx)) ?? null;
        }
        catch (error) {
            if (error instanceof Release)
                return this.#release(held);
            if (error instanceof StepError)
                return this.#fail(held, error.code, error.message, error.retryable, error.details);
            const { name, message, stack } = error instanceof Error ? error : { name: "Error", message: String(error), stack: undefined };
            return this.#fail(held, name, message, true, undefined, stack);
        }
        const variables = Object.keys(ctx.variables).length ? { variables: ctx.variables } : {};
        let done;
        try {
            // As it is now: what the step still holds may change while it is told.
            done = JSON.parse(JSON.stringify({ output, ...variables }));
        }
        catch (error) {
            return this.#fail(held, "NotJson", String(error), false);
        }
        if (!("output" in done))
            return this.#fail(held, "NotJson", `A ${typeof output} is no JSON.`, false);
        const told = await this.#report(held, "complete", done);
        if (!told.applied && told.message && !GONE.has(told.reason ?? ""))
            return this.#fail(held, told.reason ?? "NotTaken", `The output is refused: ${told.message}`, false);
        return told.applied ? "completed" : "late";
    }
    async #fail(held, code, message, retryable, details, stack) {
        const error = {
            code: storable(code, MOST_CODE),
            message: storable(message, MOST_MESSAGE),
            ...(details && { details: isJson(details) ? details : { text: storable(String(details), MOST_MESSAGE) } }),
            ...(stack && { stack: storable(stack, MOST_STACK) }),
        };
        return (await this.#report(held, "fail", { error, retryable })).applied ? "failed" : "late";
    }
    /** Says what became of a job, again and again while that counts. */
    async #report(held, verb, more) {
        const until = performance.now() + TELL;
        for (let tries = 0;; tries += 1) {
            let trouble;
            try {
                const [result] = (await this.#reporter.report(verb, [held.item(more)])).results;
                this.#options.watcher.reportSent?.(verb, 1);
                if (result && result.reason !== "unavailable")
                    return result;
            }
            catch (error) {
                if (error instanceof ApiError && !error.isRetryable) {
                    if (verb === "fail" || error.status === 401 || error.status === 403)
                        throw error;
                    return { id: held.job.id, applied: false, reason: error.code, message: error.reason };
                }
                if (!(error instanceof ApiError || error instanceof NoResponse))
                    throw error;
                trouble = error;
            }
            if (performance.now() >= until)
                throw trouble ?? new Error("Handoff could not take it");
            await sleep(pauseAfter(trouble, Math.min(tries, 5)));
            this.#options.watcher.reportRetried?.(verb);
        }
    }
    async #release(held) {
        const told = await this.#reporter.release(held.job);
        return told.applied ? "released" : "late";
    }
    /** Renews the leases of which a third is over, and lets go of those that have ended. */
    #look() {
        const now = performance.now();
        const due = [];
        for (const held of this.#held.keys())
            if (held.ends < now)
                held.cancellation.abort();
            else if (held.beatAt <= now)
                due.push(held);
        if (due.length)
            void this.#beat(due);
    }
    /** Renews leases in one call, and tells what their steps had to say. */
    async #beat(all) {
        const due = all.filter((held) => !held.isTelling);
        if (!due.length)
            return;
        const said = new Map(due.map((held) => [held.job.id, { held, news: held.news, last: held.lines.at(-1)?.seq ?? 0 }]));
        for (const held of due)
            held.isTelling = true;
        try {
            const { results, date } = await this.#renewed(due);
            for (const result of results) {
                const one = said.get(result.id);
                if (!one || result.reason === "unavailable")
                    continue;
                if (!result.applied || result.cancel_requested)
                    one.held.cancellation.abort();
                if (result.applied && result.lease_expires_at)
                    one.held.renew(result.lease_expires_at, date);
                if (result.applied && one.held.forget(one.last, one.news))
                    setImmediate(() => void this.#beat([one.held]));
            }
        }
        catch (error) {
            this.#options.logger.warn(`leases could not be renewed, trying again: ${error}`);
        }
        finally {
            for (const held of due)
                held.isTelling = false;
        }
    }
    /** One that is refused is told again without what the steps had to say, which must not cost the others their leases. */
    async #renewed(due) {
        const tell = async (items) => {
            const answer = await this.#reporter.report("heartbeat", items);
            this.#options.watcher.reportSent?.("heartbeat", items.length);
            return answer;
        };
        try {
            return await tell(due.map((held) => held.item(held.news)));
        }
        catch (error) {
            if (!(error instanceof ApiError) || error.isRetryable)
                throw error;
            this.#options.logger.error(`what steps had to say is refused: ${error}`);
            return await tell(due.map(({ job }) => ({ id: job.id, lease_token: job.lease_token })));
        }
    }
    async #drain() {
        await this.#awaitNone(this.#options.drain);
        for (const held of this.#held.keys())
            held.cancellation.abort();
        await this.#awaitNone(LEAVE);
        if (this.#held.size)
            this.#options.logger.error(`${this.#held.size} jobs are left, since they have not ended in time`);
    }
    /** Waits until what is in hand has ended, so many milliseconds at most; then no timer keeps the process from its end. */
    async #awaitNone(most) {
        const over = new AbortController();
        await Promise.race([Promise.all(this.#held.values()), sleep(most, over.signal)]);
        over.abort();
    }
}
function nextTime() {
    let resolve = () => { };
    const promise = new Promise((done) => (resolve = done));
    return { promise, resolve };
}
function isJson(value) {
    try {
        return JSON.stringify(value) !== undefined;
    }
    catch {
        return false;
    }
}
