import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Release } from "../src/index.js";
import { leaseOf } from "../src/job.js";
import { RENEWED, workerOf } from "./serving.js";

const HOUR = 3_600_000;

for (const ahead of [-HOUR, 0, HOUR])
  test(`a lease is renewed in time where the server's clock is ${ahead / HOUR} hours ahead`, async (t) => {
    const beats: number[] = [];
    let heard = () => {};
    const worker = await workerOf(t, { ahead, lease: 3_000 }, (path) => {
      if (path === "/jobs/heartbeat") beats.push(performance.now());
      if (beats.length === 2) heard();
      return RENEWED;
    });
    let began = 0;
    worker.step("n", async (ctx) => {
      began = performance.now();
      await Promise.race([new Promise<void>((done) => (heard = done)), once(ctx.signal, "abort")]);
      assert.equal(ctx.isCancelled, false);
      worker.stop();
    });
    await worker.serve();
    assert.equal(beats.length, 2);
    assert.ok(beats[0]! - began < 2_000, `${beats[0]! - began}`);
    assert.ok(beats[0]! - began > 500, `${beats[0]! - began}`);
  });

for (const ahead of [-HOUR, HOUR])
  test(`a lease that can't be renewed is given up when it is over, ${ahead / HOUR} hours ahead`, { timeout: 20_000 }, async (t) => {
    const worker = await workerOf(t, { ahead, lease: 1_500 }, () => '{"results":[{"id":"j","applied":false,"reason":"unavailable"}]}');
    let held = 0;
    worker.step("n", async (ctx) => {
      const began = performance.now();
      await once(ctx.signal, "abort");
      held = performance.now() - began;
      worker.stop();
      throw new Release();
    });
    await worker.serve();
    assert.ok(held > 1_000, `${held}`);
  });

test("a date says the second alone", () => {
  assert.deepEqual(leaseOf(40_900, 10_000), [29_900, 30_900]);
  assert.deepEqual(leaseOf(10_000, 70_000), [1_000, 1_000]);
  const [, most] = leaseOf(Date.now() + 30_000, NaN);
  assert.ok(most > 29_000 && most <= 30_000);
});
