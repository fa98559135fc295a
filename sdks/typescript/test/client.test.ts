import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { Client } from "../src/index.js";

test("a signal and a verb name an item", async (t) => {
  const asked: [string | undefined, unknown][] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part)).on("end", () => {
      asked.push([request.url, JSON.parse(body)]);
      response.end('{"id":"r","status":"RUNNING","kept":false,"delivered":[]}');
    });
  });
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  t.after(() => server.close().closeAllConnections());
  const client = new Client({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "token" });
  await client.signal("r", "paid", 1, "s", { child: "c", index: 2, all: true });
  await client.act("r", "m", "skip", { index: 0, reason: "late" });
  assert.equal((await client.act("r", "m", "retry")).status, "RUNNING");
  assert.deepEqual(asked, [
    ["/runs/r/signals", { name: "paid", signal_id: "s", payload: 1, child: "c", index: 2, all: true }],
    ["/runs/r/steps/m/skip", { output: null, index: 0, reason: "late" }],
    ["/runs/r/steps/m/retry", {}],
  ]);
});
