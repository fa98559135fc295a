import type { JobResult, Watcher } from "./watcher.js";
/**
 * Counts what workers do, for Prometheus: `new Worker({ watcher: metrics })`, and serve `metrics.text()` as
 * `Metrics.contentType`. The names are those of the SDK for Python.
 */
export declare class Metrics implements Watcher {
    #private;
    static readonly contentType = "text/plain; version=0.0.4; charset=utf-8";
    pollSucceeded(jobs: number, seconds: number): void;
    pollFailed(): void;
    jobStarted(node: string): void;
    jobEnded(node: string, result: JobResult, seconds: number): void;
    reportSent(verb: string, jobs: number): void;
    reportRetried(verb: string): void;
    /** All that was counted, as Prometheus reads it. */
    text(): string;
}
