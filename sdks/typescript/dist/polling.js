import { jitter, pauseAfter, sleep } from "./client.js";
import { ApiError } from "./errors.js";
import { about, MOST_JOBS, MOST_QUEUES } from "./taking.js";
/** Some of the queues where there are more than a call may name. */
export function some(queues) {
    return queues.length > MOST_QUEUES ? [...queues].sort(() => Math.random() - 0.5).slice(0, MOST_QUEUES) : queues;
}
/** Polls for jobs while the worker has room. Throws ApiError that no other try would change. */
export async function poll(client, wait, worker) {
    for (let failures = 0; !worker.signal.aborted;) {
        const free = worker.free();
        if (free < 1) {
            await worker.slotChange();
            continue;
        }
        const began = performance.now();
        let jobs;
        let date = NaN;
        try {
            const body = pollBody(worker, free, wait);
            // Each poll leases: none is sent twice.
            const options = { body, retries: 0, signal: worker.signal, timeout: wait + 30_000, onDate: (at) => (date = at) };
            ({ jobs } = await client.call("POST", "/jobs/poll", options));
        }
        catch (error) {
            if (worker.signal.aborted)
                return;
            await pauseOrThrow(error, failures++, worker);
            continue;
        }
        failures = 0;
        const took = performance.now() - began;
        worker.watcher.pollSucceeded?.(jobs.length, took / 1000);
        for (const job of jobs)
            worker.begin(job, date);
        // All that wait are answered at once when a server ends, or has too many.
        if (!jobs.length && took < 1_000)
            await sleep(500 + jitter(1_000), worker.signal);
    }
}
function pollBody(worker, free, wait) {
    const queues = some(worker.queues);
    const weights = Object.fromEntries(queues.map((queue) => [queue, 1]));
    return { ...about(worker), queues, weights, max_jobs: Math.min(free, MOST_JOBS), wait_seconds: jitter(wait) / 1000 };
}
/** Waits before the next try; throws the error where no other try would change it. */
export async function pauseOrThrow(error, failures, worker) {
    if (error instanceof ApiError && !error.isRetryable)
        throw error;
    worker.logger.warn(`no jobs, trying again: ${error}`);
    worker.watcher.pollFailed?.();
    await sleep(pauseAfter(error, Math.min(failures, 5)), worker.signal);
}
