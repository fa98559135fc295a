const SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];
const SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800];
/**
 * Counts what workers do, for Prometheus: `new Worker({ watcher: metrics })`, and serve `metrics.text()` as
 * `Metrics.contentType`. The names are those of the SDK for Python.
 */
export class Metrics {
    static contentType = "text/plain; version=0.0.4; charset=utf-8";
    #jobs = new Map();
    #held = new Map();
    #polls = new Map();
    #seconds = new Map();
    #pollSeconds = new Map();
    #reports = new Map();
    #retries = new Map();
    pollSucceeded(jobs, seconds) {
        const result = labels({ result: jobs ? "jobs" : "empty" });
        add(this.#polls, result, 1);
        observe(this.#pollSeconds, result, SECONDS, seconds);
    }
    pollFailed() {
        add(this.#polls, labels({ result: "error" }), 1);
    }
    jobStarted(node) {
        add(this.#held, labels({ node }), 1);
    }
    jobEnded(node, result, seconds) {
        add(this.#held, labels({ node }), -1);
        add(this.#jobs, labels({ node, result }), 1);
        observe(this.#seconds, labels({ node }), SECONDS, seconds);
    }
    reportSent(verb, jobs) {
        observe(this.#reports, labels({ verb }), SIZES, jobs);
    }
    reportRetried(verb) {
        add(this.#retries, labels({ verb }), 1);
    }
    /** All that was counted, as Prometheus reads it. */
    text() {
        return [
            ...values("handoff_jobs_total", "counter", "Jobs that are no longer held", this.#jobs),
            ...histograms("handoff_job_seconds", "How long a job was held, in seconds", SECONDS, this.#seconds),
            ...values("handoff_jobs_held", "gauge", "Jobs that are held now", this.#held),
            ...values("handoff_polls_total", "counter", "Polls", this.#polls),
            ...histograms("handoff_poll_seconds", "How long a poll took, in seconds", SECONDS, this.#pollSeconds),
            ...histograms("handoff_reported_jobs", "Jobs that one call reported", SIZES, this.#reports),
            ...values("handoff_retries_total", "counter", "Calls that reported results and were retried", this.#retries),
            "",
        ].join("\n");
    }
}
function add(to, labels, more) {
    to.set(labels, (to.get(labels) ?? 0) + more);
}
function observe(to, labels, bounds, value) {
    const histogram = to.get(labels) ?? { counts: [...bounds.map(() => 0), 0], sum: 0 };
    const place = bounds.findIndex((bound) => value <= bound);
    histogram.counts[place < 0 ? bounds.length : place] += 1;
    histogram.sum += value;
    to.set(labels, histogram);
}
function* values(name, kind, help, by) {
    yield* head(name, kind, help);
    for (const [labels, value] of by)
        yield `${name}{${labels}} ${value}`;
}
function* histograms(name, help, bounds, by) {
    yield* head(name, "histogram", help);
    for (const [labels, { counts, sum }] of by) {
        let count = 0;
        for (const [place, more] of counts.entries()) {
            count += more;
            yield `${name}_bucket{${labels},le="${bounds[place] ?? "+Inf"}"} ${count}`;
        }
        yield `${name}_sum{${labels}} ${sum}`;
        yield `${name}_count{${labels}} ${count}`;
    }
}
function head(name, kind, help) {
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`];
}
function labels(by) {
    const written = (value) => value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
    return Object.entries(by)
        .map(([name, value]) => `${name}="${written(value)}"`)
        .join(",");
}
