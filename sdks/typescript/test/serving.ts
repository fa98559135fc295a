// A server that answers as a Handoff whose clock goes otherwise than ours: one job, and words on it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { Worker, type WorkerOptions } from "../src/index.js";

const silent = { info() {}, warn() {}, error() {} };

/** A worker of a server that is so many milliseconds ahead and leases for so many; EXPIRES in an answer is the end of a lease. */
export async function workerOf(
  t: TestContext,
  { ahead = 0, lease = 60_000, ...options }: { ahead?: number; lease?: number } & WorkerOptions,
  answer: (path: string) => string,
): Promise<Worker> {
  let isPolled = false;
  const server = createServer((request, response) => {
    const now = Date.now() + ahead;
    const expires = new Date(now + lease).toISOString();
    request.resume().on("end", () => {
      response.setHeader("Date", new Date(now).toUTCString());
      if (request.url !== "/jobs/poll") return void response.end(answer(request.url ?? "").replaceAll("EXPIRES", expires));
      const jobs = isPolled ? [] : [{ id: "j", node: "n", lease_token: "l", lease_expires_at: expires }];
      isPolled = true;
      response.end(JSON.stringify({ jobs }));
    });
  });
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  t.after(() => server.close().closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new Worker({ url, token: "token", logger: silent, ...options });
}

export const RENEWED = '{"results":[{"id":"j","applied":true,"lease_expires_at":"EXPIRES"}]}';
