"""What it costs that people watch runs, in CPU, and how soon a page shows a change."""

import json
import re
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

import httpx
from django.conf import settings
from django.test import Client
from playwright.sync_api import sync_playwright
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from accounts.models import Membership, Tenant, User
from accounts.sessions import AUTOMATIC
from benchmarks.builder import chromium
from benchmarks.clients import cpu_seconds
from benchmarks.scenarios import percentiles, published, started, wait_for
from runs.commands import jobs
from runs.commands.job_reports import complete
from runs.commands.signals import NewSignal, send_signals
from runs.models import Run, StepExecution
from runs.web.pace import LATEST_SECONDS, NOTICE
from workflows.models import WorkflowVersion

REST_SECONDS = 5.0
CAUGHT_UP_MOST_SECONDS = 60.0
QUIET_SECONDS = 2.0
"""Turns to read are less far apart (`runs/web/pace.py`): after so long a silence nobody waits for one."""
GAP = 0.5
"""So often a page asks again at most, in seconds (`static/js/live.js`)."""
NOBODY, SOCKETS = "nobody", "a socket each"
HIDDEN, PAGES = "a page each in a hidden tab", "a page each that is looked at"
SOCKETS_EACH = 20
"""So many may one person have (`runs/web/consumers.py`)."""
QUEUE = "bench-watched"
CHAIN = 30
"""So many steps stand about the loop of a long run."""
# When the text of the run's header last changed, by the clock of this machine.
NOTE = """
() => {
  const all = { subtree: true, childList: true, characterData: true };
  const seen = () => { window.changedAt = Date.now(); };
  new MutationObserver(seen).observe(document.getElementById("run"), all);
}
"""
CHANGED = """
() => new Promise((tell) => {
  const look = () => (window.changedAt ? tell(window.changedAt) : setTimeout(look, 5));
  look();
})
"""
SEEN = re.compile(r'data-seen="([0-9.]*)"')
FOLLOWS = '<div id="run" hx-swap="morph:outerHTML" hx-get='
MARK = re.compile(r'data-mark="([0-9.]*)"')
IS_TOLD = {AUTOMATIC: NOTICE}
Figures = dict[str, Any]
GO: dict[str, Any] = {"id": "go", "type": "signal", "params": {"name": "go"}}
LAST = "last"
"""The step with which all is over."""


def cost(url: str, runs: int, steps: int, rounds: int) -> Figures:
    """As `_cost`, of `runs` chains of `steps`."""
    nodes = [GO, *({"id": f"s{n}", "type": "noop"} for n in range(steps - 1)), {"id": LAST, "type": "noop"}]
    return _cost(url, published(nodes), runs, steps, rounds, (NOBODY, SOCKETS, HIDDEN, PAGES))


def cost_of_long_runs(url: str, runs: int, items: int, rounds: int) -> Figures:
    """As `_cost`, of `runs` that last: chains of steps about a loop that goes round so often."""
    chain = [{"id": f"s{n}", "type": "noop"} for n in range(CHAIN)]
    params = {"body": {"type": "noop"}, "input": {"n": 0}, "count": items, "max_iterations": items}
    loop = {"id": "again", "type": "loop", "params": params}
    version = published([GO, *chain[: CHAIN // 2], loop, *chain[CHAIN // 2 :], {"id": LAST, "type": "noop"}])
    return _cost(url, version, runs, CHAIN + 2 + items, rounds, (NOBODY, PAGES))


def _cost(
    url: str, version: WorkflowVersion, runs: int, steps: int, rounds: int, ways: Sequence[str]
) -> Figures:
    """CPU of Handoff for 1,000 steps of `runs` that have `steps` each: watched by nobody, by a socket each, by a page
    each in a hidden tab, which is looked at when all is over, and by a page each that is looked at.

    What they take at rest is not counted. The `ways` take turns `rounds` times; the medians are told, in seconds in
    all, and in ms of each kind of process; how much more it was until the last run was over, and in all, since pages
    read what is left when cores are idle again; how long the runs took; and how often pages were read, for a run.
    """
    cookies = [_cookie(f"watcher-{n}") for n in range(-(-runs // SOCKETS_EACH))]
    took: dict[str, list[Mapping[str, float]]] = {way: [] for way in ways}
    meanwhile: dict[str, list[float]] = {way: [] for way in ways}
    lasted: dict[str, list[float]] = {way: [] for way in ways}
    reads: list[int] = []
    for _ in range(rounds):
        for name, spent in took.items():
            one = _round(url, cookies, version, runs, name)
            spent.append(one.cpu)
            meanwhile[name].append(one.meanwhile)
            lasted[name].append(one.seconds)
            reads += [one.reads] if name == PAGES else []
    thousands = runs * steps / 1000
    middle = {name: median(sum(one.values()) for one in spent) / thousands for name, spent in took.items()}
    return {
        **{f"seconds that the runs took, {name}": round(median(each), 1) for name, each in lasted.items()},
        "reads of a page that is looked at": round(median(reads) / runs, 1),
        **{f"CPU s per 1,000 steps, {name}": round(seconds, 3) for name, seconds in middle.items()},
        **_more("% more", middle),
        **_more("% more until the runs were over", {name: median(each) for name, each in meanwhile.items()}),
        **{
            f"ms of {kind}, {name}": round(1000 * median(one[kind] for one in spent) / thousands)
            for name, spent in took.items()
            for kind in sorted(spent[0])
        },
    }


def _more(what: str, took: Mapping[str, float]) -> Figures:
    """By how many percent each way took more than where nobody watched."""
    return {
        f"{what}, {name}": round(100 * (seconds / took[NOBODY] - 1))
        for name, seconds in took.items()
        if name != NOBODY
    }


class Round(NamedTuple):
    """What one of the ways took: CPU by the kind of process, all CPU until the runs were over (`meanwhile`), and how
    long they took; and how often its pages were read.
    """

    cpu: Mapping[str, float]
    meanwhile: float
    seconds: float
    reads: int


def _round(
    url: str, cookies: Sequence[Mapping[str, str]], version: WorkflowVersion, runs: int, watched: str
) -> Round:
    started(version, runs)
    waiting = StepExecution.unsafe_all_tenants.filter(version_id=version.pk, status="WAITING")
    while waiting.count() < runs:
        time.sleep(0.05)
    ids = [str(run) for run in waiting.values_list("run_id", flat=True)]
    # Before anybody watches: what pages read at first may take longer than they are waited for.
    rest = _at_rest()
    with ExitStack() as stack:
        # Whoever watches is there before anything happens.
        watchers = [
            Watcher(url, cookies[place // SOCKETS_EACH], run, looks=watched == PAGES)
            for place, run in enumerate(ids if watched != NOBODY else ())
        ]
        stack.callback(_close, watchers)
        _await(watchers, (watcher.caught_up for watcher in watchers), CAUGHT_UP_MOST_SECONDS)
        began, before = time.monotonic(), cpu_seconds()
        send_signals(version.tenant_id, [(run, NewSignal(str(uuid4()), "go", {})) for run in ids], by="bench")
        wait_for(version, runs)
        lasted, during = time.monotonic() - began, cpu_seconds()
        # Who comes late reads it, too.
        _await(watchers, (watcher.is_done for watcher in watchers), LATEST_SECONDS + GAP)
        for watcher in watchers if watched == HIDDEN else ():
            watcher.read()
        after, took = cpu_seconds(), time.monotonic() - began
    spent, meanwhile = (
        {kind: now[kind] - before[kind] - rest[kind] * seconds for kind in rest}
        for now, seconds in ((after, took), (during, lasted))
    )
    return Round(spent, sum(meanwhile.values()), lasted, sum(watcher.reads for watcher in watchers))


def _close(watchers: Sequence["Watcher"]) -> None:
    """At once, since each may wait for its server's answer."""
    with ThreadPoolExecutor(max(1, len(watchers))) as pool:
        list(pool.map(Watcher.close, watchers))


def _await(watchers: Sequence["Watcher"], moments: Iterable[threading.Event], seconds: float) -> None:
    """Wait until each moment has come, or can't come any more as a notice was lost, and no page is owed a read."""
    until = time.monotonic() + seconds
    for moment in moments:
        moment.wait(max(0.0, until - time.monotonic()))
    while watchers and (now := time.monotonic()) < until:
        if (left := max(one.busy_at for one in watchers) + QUIET_SECONDS - now) <= 0:
            return
        time.sleep(left)


def _at_rest() -> Mapping[str, float]:
    """What the processes take while nothing happens, of a second."""
    before = cpu_seconds()
    time.sleep(REST_SECONDS)
    return {kind: (s - before[kind]) / REST_SECONDS for kind, s in cpu_seconds().items() if kind != "client"}


class Watcher:
    """As a page does: hears what changes of a run, and where somebody `looks` reads the view again then.

    `caught_up` is set when it has heard what a socket says first, `is_done` when it shows that the last step is over;
    at `busy_at` it was told of changes last, or read them. `reads`: how often it has.
    """

    def __init__(self, url: str, cookie: Mapping[str, str], run: str, *, looks: bool) -> None:
        self._address, self._looks, self._seen, self.reads = f"/runs/{run}", looks, "", 0
        self._mark, self._follows = "", True
        self.caught_up, self.is_done = threading.Event(), threading.Event()
        self.busy_at = time.monotonic()
        self._client = httpx.Client(
            base_url=url, cookies=dict(cookie), headers={"HX-Request": "true"}, timeout=60
        )
        if looks:
            # What it shows when it is opened.
            self.read({})
        words = "; ".join(f"{name}={value}" for name, value in cookie.items())
        self._socket = connect(
            f"ws://{urlsplit(url).netloc}/ws/runs/{run}?{urlencode({'mark': self._mark})}",
            origin=Origin(url),
            additional_headers={"Cookie": words},
            proxy=None,
            # A page doesn't ask by itself either; a machine that is busy is no lost socket.
            ping_interval=None,
        )
        self._follower = threading.Thread(target=self._follow, daemon=True)
        self._follower.start()

    def read(self, cause: Mapping[str, str] = IS_TOLD) -> None:
        """Read the view: what it has not seen of it yet, as `static/js/look.js` asks for it."""
        headers = {**cause, "Handoff-Seen": self._seen} if self._seen else cause
        shown = self._client.get(self._address, headers=headers).raise_for_status().text
        self._seen, self._mark = (
            found[1] if (found := place.search(shown)) else "" for place in (SEEN, MARK)
        )
        # The page of a run that is over asks no more.
        self._follows = FOLLOWS in shown
        self.reads += 1

    def _follow(self) -> None:
        try:
            for message in self._socket:
                said = json.loads(message)
                # What a socket says first is that the page must be read, or that it needn't.
                self.caught_up.set()
                if not said["changed"]:
                    continue
                if self._looks and self._follows:
                    self.read()
                self.busy_at = time.monotonic()
                if said["nodes"].get(LAST) == "COMPLETED":
                    self.is_done.set()
                if self._looks:
                    time.sleep(GAP)
        except ConnectionClosed:
            pass  # It is over.

    def close(self) -> None:
        """It watches no more."""
        self._socket.close()
        self._follower.join(10)
        self._client.close()


def _cookie(username: str) -> dict[str, str]:
    """The session of a member, who is added where there is none."""
    user, is_new = User.objects.get_or_create(username=username)
    if is_new:
        Membership.objects.create(tenant=Tenant.objects.get(slug="default"), user=user, role="admin")
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return {name: client.cookies[name].value}


def freshness(url: str, changes: int) -> Figures:
    """Milliseconds from the commit of a step's end to the page of its run that shows it, in Chromium."""
    version = published([{"id": f"s{n}", "type": "job", "queue": QUEUE} for n in range(changes)])
    started(version, 1)
    run = Run.unsafe_all_tenants.get(version=version)
    cookie = _cookie("admin")
    # Where Playwright runs its loop Django reads no table.
    with sync_playwright() as playwright, ThreadPoolExecutor(1) as elsewhere:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        context = browser.new_context(base_url=url)
        context.add_cookies([{"name": name, "value": value, "url": url} for name, value in cookie.items()])
        page = context.new_page()
        page.goto(f"/runs/{run.pk}?view=story")
        page.evaluate(NOTE)
        took = []
        for _ in range(changes):
            # So far apart that each is a change by itself.
            page.wait_for_timeout(1000 * GAP * 2)
            job = elsewhere.submit(_job, version).result()
            page.wait_for_timeout(1000 * GAP * 2)
            page.evaluate("() => { window.changedAt = 0; }")
            committed = elsewhere.submit(_done, version, job).result()
            took.append(page.evaluate(CHANGED) - committed)
        browser.close()
    return percentiles("ms", took)


def _job(version: WorkflowVersion) -> jobs.Job:
    (job,) = jobs.poll(tenant=version.tenant_id, worker="bench", queues=[QUEUE], max_jobs=1)
    return job


def _done(version: WorkflowVersion, job: jobs.Job) -> float:
    """Completes a job; gives when that was committed, in milliseconds."""
    complete(tenant=version.tenant_id, job=str(job.step.id), lease_token=job.lease_token, output={})
    return time.time() * 1000
