const MOST_LINES = 200;
const MOST_CHARACTERS = 2_000;
/** So much of a text without what Handoff can't store: NUL, and halves of surrogate pairs. */
export function storable(text, most) {
    // A character has two units at most: what lies behind these is not looked at.
    const near = text.slice(0, 2 * most + 1).replaceAll("\0", "");
    return [...near].slice(0, most).join("").toWellFormed();
}
/** One attempt at a step, as its function is given it. */
export class Context {
    job;
    /** Variables of the run that are set when the job is done. */
    variables = {};
    /** Aborted when nobody wants the result any more: the run is being cancelled, or the lease is lost. */
    signal;
    #beat;
    #held;
    constructor(
    /** All of the job, as it was polled. */
    job, held, beat) {
        this.job = job;
        this.#held = held;
        this.#beat = beat;
        this.signal = held.cancellation.signal;
    }
    get input() {
        return this.job.input;
    }
    get params() {
        return this.job.params;
    }
    get node() {
        return this.job.node;
    }
    get runId() {
        return this.job.run_id;
    }
    /** Which attempt this is, from 1. */
    get attempt() {
        return this.job.attempt;
    }
    get retriesRemaining() {
        return this.job.retries_remaining;
    }
    /** What the attempt before told last: go on from there. */
    get progress() {
        return this.job.progress;
    }
    /** The newest decision of people that covers the job; null where none does. */
    get approval() {
        return this.job.approval;
    }
    /** The same for every attempt with the same input: pass it on to whatever the step calls. */
    get idempotencyKey() {
        return this.job.idempotency_key;
    }
    get isCancelled() {
        return this.signal.aborted;
    }
    /** Says a line for people who look at the run; 200 of an attempt are kept, of a line 2,000 characters. */
    log(text, level = "info") {
        this.#held.said += 1;
        if (this.#held.said > MOST_LINES)
            return;
        const line = { text: storable(String(text), MOST_CHARACTERS), level, at: new Date().toISOString(), seq: this.#held.said };
        this.#held.lines.push(line);
    }
    /**
     * Tells how far the step is, any JSON value of up to 64 KiB: pages show it, and the next attempt gets it. Throws TypeError
     * where it is none.
     */
    heartbeat(progress) {
        if (progress !== undefined) {
            JSON.stringify(progress);
            this.#held.news = { progress };
        }
        this.#beat();
    }
}
const SHORTEST_LEASE = 1_000;
/**
 * How many milliseconds a lease lasts at the least and at the most, by the clock of a server whose answer has this date, not by
 * this machine's. A date says the second alone; where it is NaN there is only this machine's clock.
 */
export function leaseOf(expires, date) {
    const left = expires - (Number.isNaN(date) ? Date.now() : date);
    return [Math.max(left - 1_000, SHORTEST_LEASE), Math.max(left, SHORTEST_LEASE)];
}
/** A job in hand. */
export class Claim {
    job;
    cancellation = new AbortController();
    lines = [];
    said = 0;
    news = {};
    /** There is one call at a time that renews its lease. */
    isTelling = false;
    /** When its lease is over, and when it is renewed; by the monotonic clock, which nobody sets. */
    ends = 0;
    beatAt = 0;
    constructor(job, date) {
        this.job = job;
        this.renew(job.lease_expires_at, date);
    }
    /** Its lease goes on until then, as an answer of this date says; when a third of it is over it is renewed again. */
    renew(expires, date) {
        const [least, most] = leaseOf(Date.parse(expires), date);
        this.ends = performance.now() + most;
        this.beatAt = performance.now() + least / 3;
    }
    /** Forgets what a call has reported; returns whether there is more to report. */
    forget(lastLine, news) {
        this.lines = this.lines.filter((line) => line.seq > lastLine);
        if (this.news === news)
            this.news = {};
        return "progress" in this.news;
    }
    /** Its item in a call: its id, lease and log lines, with further fields. */
    item(more) {
        return { id: this.job.id, lease_token: this.job.lease_token, ...more, ...(this.lines.length && { log: [...this.lines] }) };
    }
}
