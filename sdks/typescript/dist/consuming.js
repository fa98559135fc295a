import { pauseAfter, sleep } from "./client.js";
import { ApiError } from "./errors.js";
import { pauseOrThrow } from "./polling.js";
import { about, MOST_QUEUES } from "./taking.js";
const SHOW = 30_000; // so often a worker that claims nothing tells Handoff that it is there
const LEAVE = 3_000; // so long a broker's client has to leave when the worker is stopped
/** Takes the events of a broker and claims their jobs. Throws ApiError that no other try would change. */
export async function consume(events, client, worker) {
    const claims = new Claims(client, worker);
    try {
        // Whoever is refused learns of it at once, not with the first event.
        await claims.claim([]);
    }
    catch (error) {
        if (worker.signal.aborted)
            return;
        throw error;
    }
    const refused = new AbortController();
    const signal = AbortSignal.any([worker.signal, refused.signal]);
    const all = [...worker.queues.map((queue) => read(events, queue, claims, signal, worker)), claims.show(signal)];
    try {
        await Promise.all(all);
    }
    finally {
        refused.abort();
        const over = new AbortController();
        await Promise.race([Promise.allSettled(all), sleep(LEAVE, over.signal)]);
        over.abort();
    }
}
/** Takes the events of a queue until the worker is stopped, whatever becomes of the broker. */
async function read(events, queue, claims, signal, worker) {
    let refusal;
    const refused = new AbortController();
    const receiver = {
        name: worker.name,
        signal: AbortSignal.any([signal, refused.signal]),
        room: (wait) => claims.room(wait),
        warn: (message) => worker.logger.warn(message),
        claim: async (ids) => {
            try {
                await claims.claim(ids);
            }
            catch (error) {
                if (!signal.aborted)
                    refusal = error;
                refused.abort();
                throw error;
            }
        },
    };
    for (let failures = 0; !signal.aborted; failures++) {
        try {
            await events.consume(queue, receiver);
            failures = 0;
        }
        catch (error) {
            if (refusal || signal.aborted)
                break;
            worker.logger.warn(`no job events, trying again: ${error}`);
            worker.watcher.pollFailed?.();
            await sleep(pauseAfter(error, Math.min(failures, 5)), signal);
        }
        if (refusal)
            break;
    }
    if (refusal)
        throw refusal;
}
class Claims {
    #client;
    #worker;
    #claiming = 0;
    #claimedAt = 0;
    constructor(client, worker) {
        this.#client = client;
        this.#worker = worker;
    }
    get #free() {
        return this.#worker.free() - this.#claiming;
    }
    async room(wait) {
        if (this.#free < 1 && !this.#worker.signal.aborted) {
            const over = new AbortController();
            await Promise.race([this.#worker.slotChange(), sleep(wait, over.signal)]);
            over.abort();
        }
        return Math.max(this.#free, 0);
    }
    /** Tries until there is an answer. Throws ApiError that no other try would change. */
    async claim(ids) {
        const worker = this.#worker;
        const body = { ...about(worker), queues: worker.queues.slice(0, MOST_QUEUES), ids: [...new Set(ids)] };
        this.#claiming += ids.length;
        try {
            for (let failures = 0;; failures++) {
                const began = performance.now();
                let date = NaN;
                try {
                    const options = { body, retries: 0, onDate: (at) => (date = at) };
                    const { jobs } = await this.#client.call("POST", "/jobs/claim", options);
                    this.#claimedAt = performance.now();
                    if (ids.length)
                        worker.watcher.pollSucceeded?.(jobs.length, (performance.now() - began) / 1000);
                    for (const job of jobs)
                        worker.begin(job, date);
                    return;
                }
                catch (error) {
                    // What was taken is for others where the worker ends while Handoff is away.
                    if (worker.signal.aborted)
                        throw error;
                    await pauseOrThrow(error, failures, worker);
                    if (worker.signal.aborted)
                        throw error;
                }
            }
        }
        finally {
            this.#claiming -= ids.length;
        }
    }
    /** Handoff lists who is there, also while there is nothing to do. */
    async show(signal) {
        while (!signal.aborted) {
            await sleep(Math.max(this.#claimedAt + SHOW - performance.now(), 1_000), signal);
            if (signal.aborted || performance.now() - this.#claimedAt < SHOW)
                continue;
            await this.claim([]).catch((error) => {
                if (error instanceof ApiError && !signal.aborted)
                    throw error;
            });
        }
    }
}
