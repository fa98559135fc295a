// Live pages: `<body data-live="/ws/runs/…">` watches that topic, and `handoff:changed` on the body says that something
// changed (its detail: what). Partials then fetch themselves: `hx-trigger="handoff:changed from:body"`, nothing else.
// Where much is watched reading waits for its turn; `handoff:told` says meanwhile what became of steps (`detail.nodes`)
// and of the run (`detail.status`). An element `[data-mark]` says what the page shows: only what is newer is told at first.
// Without a socket the same event comes every five seconds, and an element `[data-live-state]` says so.
// A page that nobody sees reads nothing: when it is shown again it reads once if it was told anything meanwhile.

import { isAutomatic } from "./app.js";

const GAP = 500; // ms between two events, so that nobody needs `delay` or `throttle`, which can lose the last one
const POLL = 5_000;
const RETRY = 10_000; // on average: all pages may have been refused at once
const SILENCE = 25_000; // the server says something every ten seconds, also while a page waits for its turn
const FIRST_RETRY = 500;
const LAST_RETRY = 30_000;
const REST = 60_000; // ms that a hidden page keeps its socket: of those a user has few at once
const NOT_ALLOWED = 4403;

const path = document.body.dataset.live;
const state = document.querySelector("[data-live-state]");

let socket, retry, poll, gap, pending, rest, reread, last;
let failures = 0;
let heardAt = 0;
let isOwed = false;
let isOver = false;

function changed(detail = { changed: ["all"], nodes: {} }) {
  isOwed = document.hidden;
  if (isOwed) return;
  if (!gap) {
    document.body.dispatchEvent(new CustomEvent("handoff:changed", { detail }));
    gap = setTimeout(() => {
      const last = pending;
      gap = pending = undefined;
      if (last) changed(last);
    }, GAP);
    return;
  }
  const all = new Set([...(pending?.changed ?? []), ...detail.changed]);
  pending = { ...pending, ...detail, changed: [...all], nodes: { ...pending?.nodes, ...detail.nodes } };
}

function say(text) {
  if (!state) return;
  state.textContent = text;
  state.hidden = !text;
}

function connect() {
  leave();
  const address = Object.assign(new URL(path, location), { protocol: location.protocol.replace("http", "ws") });
  const mark = document.querySelector("[data-mark]")?.dataset.mark;
  if (mark) address.searchParams.set("mark", mark);
  if (last) address.searchParams.set("last", last);
  socket = new WebSocket(address);
  heardAt = Date.now();
  // What was missed is told after the last event that was heard, or that all is to be read.
  socket.onopen = () => failures && !last && changed();
  socket.onmessage = (event) => {
    heardAt = Date.now();
    // Not when it opens: one that opens and closes over and over is no socket.
    failures = 0;
    stopPolling();
    const message = JSON.parse(event.data);
    last = message.id;
    if (message.changed.length) changed(message);
    else if (message.status || Object.keys(message.nodes ?? {}).length)
      document.body.dispatchEvent(new CustomEvent("handoff:told", { detail: message }));
  };
  socket.onclose = (event) => (event.code === NOT_ALLOWED ? end() : lost());
}

function leave() {
  clearTimeout(retry);
  if (!socket) return;
  socket.onopen = socket.onmessage = socket.onclose = null;
  socket.close();
  socket = undefined;
}

function lost() {
  leave();
  failures += 1;
  // The first retry comes at once; that a second one is needed means that there is no socket to be had for now.
  if (failures > 1) startPolling();
  retry = setTimeout(connect, Math.min(LAST_RETRY, FIRST_RETRY * 2 ** (failures - 1)) * (0.5 + Math.random() / 2));
}

function end() {
  pause();
  isOver = true;
  say("Live updates ended. Load the page again.");
  changed();
}

function startPolling() {
  poll ??= setInterval(changed, POLL);
  say("Live updates off, refreshing every 5 s");
}

function stopPolling() {
  clearInterval(poll);
  poll = undefined;
  say("");
}

function pause() {
  leave();
  stopPolling();
}

/** A hidden page rests after a while; when it is shown again it catches up with what it may have missed. */
function follow() {
  clearTimeout(rest);
  if (document.hidden) {
    rest = setTimeout(pause, REST);
    return;
  }
  if (isOver || (socket && Date.now() - heardAt < SILENCE)) {
    if (isOwed) changed();
    return;
  }
  failures = 0;
  changed();
  connect();
}

// What a page asks by itself keeps no session alive (accounts/sessions.py); what it asks because it was told is measured,
// so that others are told as often as there is time for that (runs/web/pace.py).
document.body.addEventListener("htmx:configRequest", (event) => {
  const cause = event.detail.triggeringEvent;
  if (cause?.type === "handoff:changed") event.detail.headers["Handoff-Automatic"] = cause.detail?.seq ? "notice" : "1";
});

// What could not be read is read a little later, or the page would show less than there is until anything else changes.
for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"])
  document.body.addEventListener(name, ({ detail }) => {
    if (!isAutomatic(detail) || isOver || (detail.xhr.status && detail.xhr.status < 500)) return;
    clearTimeout(reread);
    reread = setTimeout(changed, RETRY * (0.5 + Math.random()));
  });

if (path) {
  document.addEventListener("visibilitychange", follow);
  setInterval(() => socket && Date.now() - heardAt > SILENCE && lost(), POLL);
  if (!document.hidden) connect();
}
