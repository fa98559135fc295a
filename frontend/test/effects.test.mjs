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

test("containers are done, and waits are named as such", async () => {
  const loop = (id, steps) => ({ id, type: "loop", title: "Repeat", params: { until: "true", body: { steps } } });
  const { page, press } = await open({
    nodes: [
      loop("one", [{ id: "set", type: "transform", params: { values: {} } }]),
      loop("two", [
        { id: "pause", type: "wait", title: "Wait", params: { seconds: 60 } },
        { id: "nothing", type: "noop" },
      ]),
      { id: "mail", type: "email.send", title: "Tell them" },
    ],
    edges: [
      { from: "one", to: "two" },
      { from: "two", to: "mail" },
    ],
  });
  press("t");
  const summary = await until(() => page.querySelector(".test-effects summary"));
  assert.equal(summary.textContent, "1 step with outside effects and 1 wait are skipped");
  const listed = [...page.querySelectorAll(".test-effects label")].map((label) => label.textContent.trim());
  assert.deepEqual(listed, ["Wait for real", "Tell them for real"]);
});
