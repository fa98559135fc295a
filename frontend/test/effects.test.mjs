// What a test run does outside, and what it leaves out: the panel says so, as the server does.
import assert from "node:assert/strict";
import test from "node:test";
import { open, until } from "./island.mjs";

test("what a test sends is named, and what it does not do, too", async () => {
  const request = (id, method) => ({
    id,
    type: "http.request",
    title: id,
    params: { method, url: "http://127.0.0.1:1/" },
  });
  const { page, press } = await open({
    nodes: [request("Ask", "get"), request("Look"), request("Tell", "POST")],
    edges: [
      { from: "Ask", to: "Look" },
      { from: "Look", to: "Tell" },
    ],
  });
  press("t");
  const said = (place) => until(() => page.querySelector(place)).then((found) => found.textContent.trim());
  assert.match(await said(".test-none"), /Requests that only read \(GET, HEAD\) are sent\./);
  assert.match(await said(".test-sent"), /Sent for real because they only read: Ask, Look\./);
  assert.equal(await said(".test-effects summary"), "1 step with outside effects is skipped");
});
