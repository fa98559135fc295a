import assert from "node:assert/strict";
import { test } from "node:test";
import { Metrics, NonRetryableError, Release } from "../src/index.js";
import { workerOf } from "./serving.js";

const APPLIED = '{"applied":true,"results":[{"id":"j","applied":true}]}';
const LATE = '{"results":[{"id":"j","applied":false,"reason":"stale_token"}]}';

function has(metrics: Metrics, ...lines: string[]): void {
  const text = metrics.text().split("\n");
  for (const line of lines) assert.ok(text.includes(line), `there is no ${line} in\n${text.join("\n")}`);
}

for (const [result, answer, error] of [
  ["completed", APPLIED, null],
  ["failed", APPLIED, new NonRetryableError("no")],
  ["released", APPLIED, new Release()],
  ["late", LATE, null],
] as const)
  test(`a job that is ${result} is counted`, async (t) => {
    const metrics = new Metrics();
    const worker = await workerOf(t, { watcher: metrics }, () => answer);
    worker.step("n", () => {
      worker.stop();
      if (error) throw error;
      return 1;
    });
    await worker.serve();
    has(metrics, `handoff_jobs_total{node="n",result="${result}"} 1`, 'handoff_jobs_held{node="n"} 0');
    has(metrics, 'handoff_job_seconds_count{node="n"} 1', 'handoff_polls_total{result="jobs"} 1');
    has(metrics, 'handoff_poll_seconds_count{result="jobs"} 1');
  });

test("a result that has to be told again is counted", async (t) => {
  const metrics = new Metrics();
  const answers = ['{"results":[{"id":"j","applied":false,"reason":"unavailable"}]}', APPLIED];
  const worker = await workerOf(t, { watcher: metrics }, () => answers.shift() ?? APPLIED);
  worker.step("n", () => {
    worker.stop();
    return 1;
  });
  await worker.serve();
  has(metrics, 'handoff_retries_total{verb="complete"} 1', 'handoff_jobs_total{node="n",result="completed"} 1');
});

test("it is text that Prometheus reads", () => {
  const metrics = new Metrics();
  metrics.pollFailed();
  metrics.pollSucceeded(0, 2);
  metrics.jobStarted('a "b"\\\n');
  metrics.jobEnded("n", "unreported", 90);
  metrics.reportSent("heartbeat", 5_000);
  metrics.reportRetried("fail");
  has(metrics, "# TYPE handoff_polls_total counter", "# TYPE handoff_jobs_held gauge", "# TYPE handoff_reported_jobs histogram");
  has(metrics, 'handoff_polls_total{result="error"} 1', 'handoff_polls_total{result="empty"} 1');
  has(metrics, 'handoff_poll_seconds_bucket{result="empty",le="1"} 0', 'handoff_poll_seconds_sum{result="empty"} 2');
  has(metrics, 'handoff_retries_total{verb="fail"} 1');
  has(metrics, 'handoff_jobs_held{node="a \\"b\\"\\\\\\n"} 1', 'handoff_job_seconds_bucket{node="n",le="60"} 0');
  has(metrics, 'handoff_job_seconds_bucket{node="n",le="300"} 1', 'handoff_job_seconds_sum{node="n"} 90');
  has(metrics, 'handoff_reported_jobs_bucket{verb="heartbeat",le="1000"} 0', 'handoff_reported_jobs_bucket{verb="heartbeat",le="+Inf"} 1');
});
