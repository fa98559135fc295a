/** What became of a job; `late`: it was told and did not count; `untold`: nobody could be told. */
export type Became = "completed" | "failed" | "given_back" | "late" | "untold";

/** Hears of what a worker does; nothing here may take long. `Metrics` is one. */
export interface Watcher {
  /** A poll was answered with so many jobs, after so many seconds. */
  polled?(jobs: number, seconds: number): void;
  /** A poll had no answer, or was refused for now. */
  notPolled?(): void;
  /** A job was begun. */
  begun?(node: string): void;
  /** A job is no longer held, after so many seconds. */
  ended?(node: string, became: Became, seconds: number): void;
  /** So many results were told in one call. */
  told?(verb: "complete" | "fail" | "heartbeat", jobs: number): void;
  /** A call that told of a result is about to be made again. */
  retried?(verb: "complete" | "fail"): void;
}
