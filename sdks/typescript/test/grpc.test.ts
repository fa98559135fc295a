import assert from "node:assert/strict";
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { GrpcJobs } from "../src/grpc.js";
import { ApiError, Worker } from "../src/index.js";
import { decode, encode, JOB, JOB_ANSWER, STREAM_JOBS, VERBS } from "../src/protobuf.js";

const silent = { info() {}, warn() {}, error() {} };

type Call = (stream: ServerHttp2Stream, method: string, request: Buffer) => void;

function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function job(id: string, lease = 60_000): Buffer {
  const now = Date.now();
  const [sent_at, lease_expires_at] = [now, now + lease].map((at) => new Date(at).toISOString());
  return framed(encode(JOB, { id, node: "n", input: { id }, lease_token: id, attempt: 1, sent_at, lease_expires_at }));
}

function end(stream: ServerHttp2Stream, trailers: Record<string, string>, message?: Buffer): void {
  if (!stream.headersSent) stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  stream.end(message && framed(message));
}

/** The address of a server that answers calls like this. */
async function addressOf(t: TestContext, answer: Call): Promise<string> {
  const sessions: ServerHttp2Session[] = [];
  const server = createServer().on("session", (session) => void sessions.push(session));
  server.on("stream", (stream, headers) => {
    const parts: Buffer[] = [];
    stream.on("error", () => {}).on("data", (part: Buffer) => parts.push(part));
    stream.on("end", () => answer(stream, String(headers[":path"]).split("/")[2]!, Buffer.concat(parts).subarray(5)));
  });
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  t.after(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function workerOf(t: TestContext, slots: number, answer: Call): Promise<Worker> {
  return new Worker({ url: "http://127.0.0.1:1", token: "token", logger: silent, grpc: await addressOf(t, answer), slots });
}

const applied = encode(JOB_ANSWER, { applied: true });

test("a stream that breaks is opened again, and no more jobs are done at once than there are slots", { timeout: 20_000 }, async (t) => {
  const completed: unknown[] = [];
  let opened = 0;
  const worker = await workerOf(t, 1, (stream, method, request) => {
    if (method === "StreamJobs") {
      opened += 1;
      assert.deepEqual(decode(STREAM_JOBS, request)["queues"], ["n"]);
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.write(job(`j${opened}`));
      if (opened === 1) end(stream, { "grpc-status": "14", "handoff-code": "stopping" });
      return;
    }
    const report = decode(VERBS.complete, request);
    completed.push([method, report["job_id"], report["output"]]);
    end(stream, { "grpc-status": "0" }, applied);
    if (completed.length === 2) worker.stop();
  });
  let held = 0;
  worker.step("n", async (ctx) => {
    held += 1;
    assert.equal(held, 1);
    while (opened < 2) await new Promise((done) => setTimeout(done, 20));
    await new Promise((done) => setTimeout(done, 100));
    held -= 1;
    return ctx.input.id;
  });
  await worker.serve();
  assert.deepEqual(completed, [
    ["CompleteJob", "j1", "j1"],
    ["CompleteJob", "j2", "j2"],
  ]);
});

test("a job that is cancelled while it waits for a slot is given back, not done", { timeout: 20_000 }, async (t) => {
  const reports: unknown[] = [];
  let isCancelled = false;
  const worker = await workerOf(t, 1, (stream, method, request) => {
    if (method === "StreamJobs") {
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.write(Buffer.concat([job("j1"), job("j2", 1_000)]));
      return;
    }
    const id = decode(method === "HeartbeatJob" ? VERBS.heartbeat : VERBS.release, request)["job_id"];
    if (method === "HeartbeatJob") isCancelled ||= id === "j2";
    else reports.push([method, id]);
    end(stream, { "grpc-status": "0" }, encode(JOB_ANSWER, { applied: true, cancel_requested: id === "j2" }));
    if (reports.length === 2) worker.stop();
  });
  worker.step("n", async (ctx) => {
    assert.equal(ctx.job.id, "j1");
    while (!isCancelled) await new Promise((done) => setTimeout(done, 20));
    await new Promise((done) => setTimeout(done, 100));
  });
  await worker.serve();
  assert.deepEqual(reports, [
    ["CompleteJob", "j1"],
    ["ReleaseJob", "j2"],
  ]);
});

test("an answer without a date leaves the dates of the others", { timeout: 20_000 }, async (t) => {
  const address = await addressOf(t, (stream, _, request) => {
    if (decode(VERBS.heartbeat, request)["job_id"] === "gone") return end(stream, { "grpc-status": "5", "handoff-code": "not_found" });
    end(stream, { "grpc-status": "0" }, encode(JOB_ANSWER, { applied: true, sent_at: "2026-01-02T03:04:05Z" }));
  });
  const jobs = new GrpcJobs(address, "token");
  const { results, date } = await jobs.report("heartbeat", [
    { id: "gone", lease_token: "l" },
    { id: "j", lease_token: "l" },
  ]);
  jobs.close();
  assert.deepEqual(results.map(({ id, applied }) => [id, applied]), [["gone", false], ["j", true]]);
  assert.equal(date, Date.parse("2026-01-02T03:04:05Z"));
});

test("a refusal ends the worker with what Handoff says", { timeout: 20_000 }, async (t) => {
  const worker = await workerOf(t, 1, (stream) => {
    const error = Buffer.from('{"code":"not_allowed","message":"No.","field":"queues[0]","details":{}}').toString("base64");
    end(stream, { "grpc-status": "7", "grpc-message": "No%2E", "handoff-code": "not_allowed", "handoff-error-bin": error });
  });
  worker.step("n", () => 1);
  await assert.rejects(worker.serve(), (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.code, error.reason, error.field], [403, "not_allowed", "No.", "queues[0]"]);
    return true;
  });
});

test("messages are read as they were written, and fields that are not known are skipped", () => {
  const line = { text: "ä", level: "info", at: "2026-01-02T03:04:05.678Z", seq: 3 };
  const report = { job_id: "j", lease_token: "l", output: { big: 123456789, none: null }, log: [line, line] };
  assert.deepEqual(decode(VERBS.complete, encode(VERBS.complete, report)), report);
  const newer = Buffer.concat([encode(JOB_ANSWER, { applied: true }), Buffer.from([0xf8, 0x06, 0x96, 0x01, 0xf2, 0x06, 0x01, 0x41])]);
  assert.deepEqual(decode(JOB_ANSWER, newer), { applied: true });
  assert.throws(() => decode(JOB_ANSWER, Buffer.from([0x12, 0x05, 0x41])), RangeError);
});

test("a worker is told of jobs by one way alone", () => {
  const events = { consume: () => Promise.resolve() };
  assert.throws(() => new Worker({ url: "http://127.0.0.1:1", token: "t", grpc: "http://127.0.0.1:1", events }), /not both/);
  assert.throws(() => new Worker({ url: "http://127.0.0.1:1", token: "t", grpc: "127.0.0.1:9090" }), /http/);
});
