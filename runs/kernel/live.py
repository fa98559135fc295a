"""After commit: tell the pages that watch what changed. Where nobody watches it costs next to nothing.

Who changes something only notes it. A thread of its own asks, while things happen, which topics are watched (Redis
knows, or where there is none the processes tell one another), and sends at most one message a topic in
`PAUSE_SECONDS`; it never holds up or fails a caller. A message says only *that* something changed: pages fetch what
through their permission-checked views, so a lost one does no harm for long.
"""

import asyncio
import atexit
import logging
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import psycopg
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection, transaction

from engine.statuses import StepStatus
from runs.limits import CLIMBED_RUNS, LIVE_TOPICS, NOTICE_TOPICS
from runs.store import trees
from runs.store.attempts import ClaimedStep

log = logging.getLogger(__name__)

PAUSE_SECONDS = 0.15
KNOWN_SECONDS = 0.5
"""How long a process trusts what it knows of watchers: so much later at most it tells a new one of changes."""
SILENCE_SECONDS = 1.0
WATCH_SECONDS = 30.0
ANSWER_SECONDS = 1.0
ALL = "live"
"""The channel group of the web processes: each hears of all topics at once, which costs far less than a group each."""

RUNS, INBOX, TREE, QUEUES = "runs", "inbox", "tree", "queues"


class Watchers(Protocol):
    """Who knows which topics are watched, by their groups. Raises what is in `ERRORS` while that is not known."""

    async def groups(self) -> frozenset[str]:
        """Those that are watched now."""

    async def watch(self, group: str, seconds: float) -> bool:
        """Have this one count as watched for so long; gives whether it didn't until now."""

    async def answers(self) -> None:
        """Return if it is there."""

    async def aclose(self) -> None:
        """It is asked no more."""


_LINES = {"hints": "runs.kernel.redis_live", "polling": "runs.kernel.postgres_live"}
_line: Any = import_module(_LINES[settings.HANDOFF_DISPATCH])
ERRORS: tuple[type[Exception], ...] = (OSError, TimeoutError, *_line.ERRORS)
"""What is raised where nobody can be told anything."""


class Topic(NamedTuple):
    """What can be watched: one run, or, where `run_id` is None, all runs of a tenant or its inbox. That of a run about
    its `TREE` says that changes of the runs below it are told as changes of it.
    """

    tenant_id: int
    run_id: str | None = None
    about: str = RUNS

    @property
    def group(self) -> str:
        """Whom a notice is for; made from ids that were checked, so no tenant hears of another's."""
        if self.run_id is None:
            return f"t{self.tenant_id}.{self.about}"
        return f"t{self.tenant_id}.{TREE if self.about == TREE else 'run'}.{self.run_id}"

    @property
    def name(self) -> str:
        """What clients call it."""
        return self.about if self.run_id is None else f"run:{self.run_id}"

    @property
    def aspects(self) -> tuple[str, ...]:
        """All that can change about it."""
        return (self.about,) if self.run_id is None else ("run", "steps")

    @classmethod
    def of(cls, group: str) -> "Topic":
        """The topic that a group is about."""
        tenant, about, *run = group.removeprefix("t").split(".", 2)
        if not run:
            return cls(int(tenant), about=about)
        return cls(int(tenant), run[0], TREE) if about == TREE else cls(int(tenant), run[0])


class Change(NamedTuple):
    """Something about a run changed: its own row where `whole`, the status of `node` and its own, `run_status`, where
    these are known.

    Without a run: something that the tenant's inbox shows, or what it is `about`.
    """

    tenant_id: int
    run_id: str | None
    whole: bool = True
    node: str | None = None
    status: str | None = None
    run_status: str | None = None
    about: str = INBOX

    @property
    def topics(self) -> tuple[Topic, ...]:
        """Who is told."""
        if self.run_id is None:
            return (Topic(self.tenant_id, about=self.about),)
        of_tenant = Topic(self.tenant_id), Topic(self.tenant_id, about=QUEUES)
        return (Topic(self.tenant_id, self.run_id), *of_tenant)


@dataclass(slots=True)
class _Notice:
    """What a topic's next message says."""

    aspects: set[str] = field(default_factory=set)
    nodes: dict[str, str] = field(default_factory=dict)
    status: str | None = None

    def add(self, topic: Topic, change: Change) -> None:
        self.aspects.update(topic.aspects if change.whole or topic.run_id is None else ("steps",))
        if change.node and change.status and topic.run_id:
            self.nodes[change.node] = change.status
        if topic.run_id:
            self.status = change.run_status or self.status

    def of(self, topic: Topic) -> tuple[str, list[str], dict[str, str], str | None]:
        """As a message says it: whom it is for, the aspects that changed, the statuses of steps by node, the run's."""
        return topic.group, sorted(self.aspects), self.nodes, self.status


class Publisher:
    """The notices of this process, and the thread that sends them; it starts with the first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: dict[Topic, _Notice] = {}
        self._watched: frozenset[Topic] = frozenset()
        self._trees: frozenset[tuple[int, str]] = frozenset()
        self._tenants_of_trees: frozenset[int] = frozenset()
        self._known_until = 0.0
        self._lost = False
        self._work, self._ending = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def tell(self, changes: Iterable[Change]) -> None:
        """Note what was committed; `changes` is not even begun where it is known that nobody watches."""
        if not self._watched and time.monotonic() < self._known_until:
            return
        with self._lock:
            for change in changes:
                for topic in change.topics:
                    self._note(topic, change)
            if not self._pending:
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="live", daemon=True)
                self._thread.start()
                atexit.register(self.settle)
        self._work.set()

    def settle(self, seconds: float = 1.0) -> None:
        """The process ends: send what is left."""
        self._ending.set()
        self._work.set()
        if self._thread is not None:
            self._thread.join(seconds)

    def _note(self, topic: Topic, change: Change) -> None:
        may_be_below = topic.run_id is not None and topic.tenant_id in self._tenants_of_trees
        if topic not in self._watched and not may_be_below and time.monotonic() < self._known_until:
            return
        if topic in self._pending or len(self._pending) < LIVE_TOPICS:
            self._pending.setdefault(topic, _Notice()).add(topic, change)

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            watchers = _watchers()
            while not self._ending.is_set() or self._pending:
                self._work.wait()
                self._work.clear()
                took = self._round(runner, watchers) if self._pending or self._lost else 0.0
                if self._lost:
                    self._ending.wait(SILENCE_SECONDS)
                    self._work.set()
                else:
                    # Also where much is watched most of the time is left to the engine.
                    self._ending.wait(max(PAUSE_SECONDS, 3 * took))
            runner.run(watchers.aclose())

    def _round(self, runner: asyncio.Runner, watchers: Watchers) -> float:
        """Send all that is pending and watched; gives the seconds it took."""
        began = time.monotonic()
        try:
            runner.run(self._look(watchers, began))
            self._climb()
            runner.run(self._send())
        except Exception as error:
            # Whatever the line, its client or the channel layer raise: this thread goes on, and so does the engine.
            self._fall_silent(error)
        return time.monotonic() - began

    async def _send(self) -> None:
        async with asyncio.timeout(ANSWER_SECONDS):
            layer = get_channel_layer()
            pending = self._taken()
            for start in range(0, len(pending), NOTICE_TOPICS):
                notices = [notice.of(topic) for topic, notice in pending[start : start + NOTICE_TOPICS]]
                await layer.group_send(ALL, {"type": "live.changed", "notices": notices})

    async def _look(self, watchers: Watchers, began: float) -> None:
        if began < self._known_until:
            return
        async with asyncio.timeout(ANSWER_SECONDS):
            watched = frozenset(Topic.of(group) for group in await watchers.groups())
        with self._lock:
            self._watched, self._known_until = watched, began + KNOWN_SECONDS
            self._trees = frozenset((one.tenant_id, one.run_id or "") for one in watched if one.about == TREE)
            self._tenants_of_trees = frozenset(tenant for tenant, _ in self._trees)
            if self._lost:
                self._lost = False
                for topic in watched:
                    self._pending[topic] = _Notice({*topic.aspects})

    def _climb(self) -> None:
        """Have the watched runs above those that changed told, too. One statement for all; none where no run that
        begins others is watched.
        """
        if not self._trees:
            connection.close()
            return
        with self._lock:
            changed = [
                topic for topic in self._pending if topic.run_id and topic.tenant_id in self._tenants_of_trees
            ]
        for tenant, run in self._above([topic.run_id or "" for topic in changed]):
            topic = Topic(tenant, run)
            with self._lock:
                self._pending.setdefault(topic, _Notice()).aspects.update(topic.aspects)

    def _above(self, changed: list[str]) -> Iterable[tuple[int, str]]:
        """The watched runs above these; all that are watched where that can't be told."""
        if not changed:
            return ()
        if len(changed) > CLIMBED_RUNS:
            return self._trees
        try:
            return trees.watched_above(changed, [run for _, run in self._trees])
        except (psycopg.Error, DatabaseError):
            connection.close()
            return self._trees
        finally:
            close_old_connections()

    def _taken(self) -> list[tuple[Topic, _Notice]]:
        with self._lock:
            pending, self._pending = self._pending, {}
        return [(topic, notice) for topic, notice in pending.items() if topic in self._watched]

    def _fall_silent(self, error: Exception) -> None:
        """Nobody can be told anything: forget it, and tell whoever watches afterwards that all may have changed."""
        if not self._lost:
            log.warning("Pages can't be told of changes until %s answers: %r", _line.NAME, error)
        with self._lock:
            self._pending, self._watched, self._lost = {}, frozenset(), True
            self._trees, self._tenants_of_trees = frozenset(), frozenset()
            self._known_until = time.monotonic() + SILENCE_SECONDS


_publisher = Publisher()


def tell(changes: Iterable[Change]) -> None:
    """Tell who watches of changes, after their commit. Costs a comparison where nobody does; never raises."""
    _publisher.tell(changes)


def tell_steps(steps: Iterable[ClaimedStep], status: StepStatus | None = None) -> None:
    """These steps changed, to `status` where all of them did."""
    tell(Change(step.tenant_id, step.run_id, False, node_of(step), status) for step in steps)


def node_of(step: ClaimedStep) -> str | None:
    """The node whose status that of a step is; None where it is one of the many children of a container."""
    return step.node if step.index is None else None


def tell_inboxes(tenants: Iterable[int]) -> None:
    """The tasks of these tenants changed, or what somebody said or noted of them; told once that is committed."""
    tell_about(INBOX, tenants)


def tell_about(about: str, tenants: Iterable[int]) -> None:
    """What these tenants have of this changed; told once that is committed."""
    changed = [Change(tenant, None, about=about) for tenant in tenants]
    transaction.on_commit(lambda: tell(changed))


def settle() -> None:
    """Send what is left; called when the process ends."""
    _publisher.settle()


async def watch(topic: Topic, *, with_tree: bool = False) -> bool:
    """Have changes of the topic told for `WATCH_SECONDS`, of a run `with_tree` also those of the runs below it; gives
    whether nobody watched it until now.

    Raises what is in `ERRORS`.
    """
    watchers = _web_watchers()
    is_new = await watchers.watch(topic.group, WATCH_SECONDS)
    if with_tree and await watchers.watch(topic._replace(about=TREE).group, WATCH_SECONDS):
        return True
    return is_new


async def answers() -> None:
    """Return if pages can be told of changes; raises what is in `ERRORS`."""
    await _web_watchers().answers()


@cache
def _web_watchers() -> Watchers:
    """Those of the web process' one event loop."""
    return _watchers()


def _watchers() -> Watchers:
    watchers: Watchers = _line.watchers(ANSWER_SECONDS)
    return watchers
