import type { JobResult, Watcher } from "./watcher.js";

const SIZES = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];
const SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800];

interface Histogram {
  counts: number[];
  sum: number;
}

/**
 * Counts what workers do, for Prometheus: `new Worker({ watcher: metrics })`, and serve `metrics.text()` as
 * `Metrics.contentType`. The names are those of the SDK for Python.
 */
export class Metrics implements Watcher {
  static readonly contentType = "text/plain; version=0.0.4; charset=utf-8";
  readonly #jobs = new Map<string, number>();
  readonly #held = new Map<string, number>();
  readonly #polls = new Map<string, number>();
  readonly #seconds = new Map<string, Histogram>();
  readonly #pollSeconds = new Map<string, Histogram>();
  readonly #reports = new Map<string, Histogram>();
  readonly #retries = new Map<string, number>();

  pollSucceeded(jobs: number, seconds: number): void {
    const result = labels({ result: jobs ? "jobs" : "empty" });
    add(this.#polls, result, 1);
    observe(this.#pollSeconds, result, SECONDS, seconds);
  }

  pollFailed(): void {
    add(this.#polls, labels({ result: "error" }), 1);
  }

  jobStarted(node: string): void {
    add(this.#held, labels({ node }), 1);
  }

  jobEnded(node: string, result: JobResult, seconds: number): void {
    add(this.#held, labels({ node }), -1);
    add(this.#jobs, labels({ node, result }), 1);
    observe(this.#seconds, labels({ node }), SECONDS, seconds);
  }

  reportSent(verb: string, jobs: number): void {
    observe(this.#reports, labels({ verb }), SIZES, jobs);
  }

  reportRetried(verb: string): void {
    add(this.#retries, labels({ verb }), 1);
  }

  /** All that was counted, as Prometheus reads it. */
  text(): string {
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

function add(to: Map<string, number>, labels: string, more: number): void {
  to.set(labels, (to.get(labels) ?? 0) + more);
}

function observe(to: Map<string, Histogram>, labels: string, bounds: number[], value: number): void {
  const histogram = to.get(labels) ?? { counts: [...bounds.map(() => 0), 0], sum: 0 };
  const place = bounds.findIndex((bound) => value <= bound);
  histogram.counts[place < 0 ? bounds.length : place]! += 1;
  histogram.sum += value;
  to.set(labels, histogram);
}

function* values(name: string, kind: string, help: string, by: Map<string, number>): Generator<string> {
  yield* head(name, kind, help);
  for (const [labels, value] of by) yield `${name}{${labels}} ${value}`;
}

function* histograms(name: string, help: string, bounds: number[], by: Map<string, Histogram>): Generator<string> {
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

function head(name: string, kind: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`];
}

function labels(by: Record<string, string>): string {
  const written = (value: string) => value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
  return Object.entries(by)
    .map(([name, value]) => `${name}="${written(value)}"`)
    .join(",");
}
