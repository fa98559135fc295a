"""Sockets that say when runs change: `/ws/runs/{id}` and `/ws/runs`. They carry no payloads; pages fetch those."""

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

import psycopg
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError

from accounts import sessions
from accounts.principal import Principal
from accounts.roles import RUNS_READ
from runs.access import folders_of_runs
from runs.kernel import live
from runs.kernel.live import Topic
from runs.limits import PROCESS_SOCKETS, SOCKET_NODES, TENANT_SOCKETS, USER_SOCKETS
from runs.reading.children import may_begin_runs
from runs.reading.events import mark_of
from runs.web.hub import hub
from runs.web.missed import Missed
from runs.web.pace import LATEST_OF_LISTS_SECONDS, LATEST_SECONDS, SAMPLE_SECONDS, Turn, pace
from runs.web.socket_watch import Watched, watch

log = logging.getLogger(__name__)

CAUGHT_UP_SECONDS = 1.5 * live.KNOWN_SECONDS
BEAT_SECONDS = 10.0
REFRESH_SECONDS = 60.0
REFRESHES_SPARED = 4
"""So many times in a row a page is not told to read what has not changed: its mark doesn't tell of names and tasks."""
SEND_SECONDS = 10.0
PING_SECONDS = 0.5
GAP_SECONDS = 0.5
"""So far apart is what a socket says: pages don't read more often (`static/js/live.js`)."""
STATUS_SECONDS = 1.0
"""So often are statuses told meanwhile where a page waits for its turn to read."""
SOON_SECONDS = 0.3
"""A turn that comes so soon is waited for instead."""

UNWANTED, NOT_ALLOWED, TRY_LATER = 1008, 4403, 1013

_open: Counter[tuple[str, int]] = Counter()
"""How many sockets this process holds: of each user, of each tenant, in all."""


class RunsConsumer(AsyncWebsocketConsumer):  # type: ignore[misc] # Channels has no types
    """One socket: it says when anything about its topic changed, first about all runs of the tenant."""

    required_scope = RUNS_READ
    # It hears through the hub: a channel of its own would be a subscription more.
    channel_layer_alias = ""

    def __init__(self) -> None:
        super().__init__()
        self._topic: Topic | None = None
        self._places: tuple[tuple[str, int], ...] = ()
        self._looking: asyncio.Task[None] | None = None
        self._watched: Watched | None = None
        self._run: UUID | None = None
        self._has_tree = False
        self._seq = 0
        self._pinged_at = self._said_at = self._told_at = 0.0
        self._changed: set[str] = set()
        self._nodes: dict[str, str] = {}
        self._status: str | None = None
        self._mark, self._spared = "", 0
        self._is_told = asyncio.Event()
        self._said = ""
        self._knows_all = False
        """Whether a client has, or is told with what is said next, all until now: only then what is said has an id."""
        self._missed: Missed | None = None
        self._reloads = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve the connection, and leave nothing behind however it ends."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._leave()

    async def connect(self) -> None:
        """Accept whoever may see the topic; everybody else gets the same refusal (403)."""
        access = await self._allowed()
        if access is None or not self._take_place(access[0], access[1].user_id):
            await self.close()
            return
        self._topic, principal = access
        await self._join(self._topic)
        if last := self._asked("last"):
            self._missed = hub.missed(self._topic, last)
            self._knows_all, self._said = (True, last) if self._missed else (False, "")
            self._reloads = not self._knows_all
        await self.accept()
        self._watch_over(principal)
        self._looking = asyncio.create_task(self._look_after(self._topic))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """`ping` is answered by a beat, twice a second at most; there is nothing else to say here."""
        now = time.monotonic()
        if self._topic is None or text_data != "ping" or now - self._pinged_at < PING_SECONDS:
            await self.close(UNWANTED)
            return
        self._pinged_at = now
        await self._say(self._topic)

    async def _join(self, topic: Topic) -> bool:
        """Hear of the topic, and go on to; gives whether nobody watched it, so that changes may have been lost."""
        is_new = await live.watch(topic, with_tree=self._has_tree)
        if is_new:
            hub.forget(topic)
        await hub.join(topic, self)
        return is_new

    def told(self, changed: Iterable[str], nodes: Mapping[str, str], status: str | None = None) -> None:
        """Something about the topic changed: said at the socket's next turn, with what else changes until then."""
        self._changed.update(changed)
        self._nodes.update(nodes)
        if len(self._nodes) > SOCKET_NODES and self._topic is not None:
            # The page reads them all instead.
            self._changed.update(self._topic.aspects)
            self._nodes.clear()
        self._status = status or self._status
        self._is_told.set()

    async def _look_after(self, topic: Topic) -> None:
        """Say what changed, and a beat every so often, so that both ends know that the other is there."""
        try:
            if self._missed and any(self._missed):
                self.told(*self._missed)
            elif self._missed:
                await self._say(topic)
            # By now every process knows of this watcher: what happened before may not have been told.
            await self._say_until(time.monotonic() + CAUGHT_UP_SECONDS, topic)
            self._mark = self._asked("mark")
            # At its turn, since all may connect at once where a process was restarted.
            if not self._knows_all and await self._has_changed(topic):
                self.told(topic.aspects, {})
            else:
                self._reloads = False
                self._said = self._said if self._is_told.is_set() else hub.id_of(topic)
                await self._say(topic)
            self._knows_all = True
            refreshed = time.monotonic()
            while True:
                await self._say_until(time.monotonic() + BEAT_SECONDS, topic)
                is_new = await self._join(topic)
                # Redis forgot who watches, or may have dropped a notice meanwhile: a lost one costs a minute at most.
                # Said at the socket's turn, since all that there are may be at it at once.
                if is_new or time.monotonic() - max(refreshed, self._told_at) >= REFRESH_SECONDS:
                    refreshed = time.monotonic()
                    if await self._has_changed(topic):
                        self.told(topic.aspects, {})
                await self._say(topic)
        except live.ERRORS:
            hub.forget(topic)
            await self._give_up()
        except Exception:
            log.exception("A socket can't be looked after")
            await self._give_up()

    def _asked(self, name: str) -> str:
        """A word of the address: the `mark` of what the page shows, the id of the `last` event that it had."""
        query: bytes = self.scope["query_string"]
        return parse_qs(query.decode("latin-1")).get(name, [""])[0]

    async def _has_changed(self, topic: Topic) -> bool:
        """Whether the page may show less than there is: not where its run still has the mark that it had."""
        # The mark of a run tells nothing of the runs below it.
        if topic.run_id is None or self._has_tree:
            return True
        before, self._mark = self._mark, ""
        with suppress(psycopg.Error, DatabaseError):
            self._mark = await database_sync_to_async(mark_of)(topic.tenant_id, topic.run_id)
        self._spared = self._spared + 1 if before and before == self._mark else 0
        if self._spared > REFRESHES_SPARED:
            self._spared = 0
        return not self._spared

    async def _say_until(self, moment: float, topic: Topic) -> None:
        """Say what changes until then."""
        while (left := moment - time.monotonic()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._is_told.wait()
            if not self._is_told.is_set():
                return
            latest = LATEST_OF_LISTS_SECONDS if topic.run_id is None else LATEST_SECONDS
            await self._wait(pace.turn(latest), topic)
            await self._tell(topic)
            await asyncio.sleep(GAP_SECONDS)

    async def _wait(self, turn: Turn, topic: Topic) -> None:
        """Wait for the turn; what becomes of the run and its steps is told meanwhile, which costs no page a read."""
        last_nodes: dict[str, str] = {}
        last_status, pause = None, SAMPLE_SECONDS
        while (left := pace.left(turn)) > 0:
            if left > SOON_SECONDS:
                news = dict(self._nodes.items() - last_nodes.items())
                status = self._status if self._status != last_status else None
                if news or status or time.monotonic() - self._said_at >= BEAT_SECONDS:
                    last_nodes, last_status = last_nodes | news, self._status
                    await self._say(topic, nodes=news, status=status)
            # Turns come sooner when others end, or later than it seemed.
            await asyncio.sleep(min(left, pause))
            pause = min(2 * pause, STATUS_SECONDS)

    async def _tell(self, topic: Topic) -> None:
        """Say what has changed."""
        changed, nodes, status = sorted(self._changed), self._nodes, self._status
        self._changed, self._nodes, self._status = set(), {}, None
        self._is_told.clear()
        if self._knows_all:
            self._said = hub.id_of(topic)
        await self._say(topic, changed, nodes, status)
        self._told_at = time.monotonic()
        pace.told()

    async def _give_up(self) -> None:
        with suppress(OSError, RuntimeError, TimeoutError):
            await self.close(TRY_LATER)

    async def _say(
        self,
        topic: Topic,
        changed: Sequence[str] = (),
        nodes: Mapping[str, str] | None = None,
        status: str | None = None,
    ) -> None:
        self._seq += 1
        self._said_at = time.monotonic()
        message = {
            "v": 1,
            "seq": self._seq,
            "id": self._said,
            "reload": self._reloads and self._knows_all and bool(changed),
            "topic": topic.name,
            "changed": changed,
            "nodes": nodes or {},
            "status": status,
        }
        self._reloads = self._reloads and not message["reload"]
        async with asyncio.timeout(SEND_SECONDS):
            await self.send(json.dumps(message))

    def _watch_over(self, principal: Principal) -> None:
        """Have it ended within seconds of what lets it in: the session, the membership, the role, the folder."""
        key, tenant = self.scope["session_key"], principal.tenant_id
        self._watched = Watched(
            key, principal.user_id, tenant, self.required_scope, self._shut_out, self._run
        )
        watch.add(self._watched)

    async def _shut_out(self) -> None:
        async with asyncio.timeout(SEND_SECONDS):
            await self.close(NOT_ALLOWED)

    async def _allowed(self) -> tuple[Topic, Principal] | None:
        """The topic and who asks, if the session may see it now."""
        access: tuple[Topic, Principal] | None = await database_sync_to_async(self._read_allowed)()
        return access

    def _read_allowed(self) -> tuple[Topic, Principal] | None:
        key = self.scope["session_key"] or ""
        principal = sessions.principals([key]).get(key)
        if principal is None or self.required_scope not in principal.scopes:
            return None
        topic = self._topic_in(principal)
        return (topic, principal) if topic else None

    def _topic_in(self, principal: Principal) -> Topic | None:
        """What this route is about, where they may see it."""
        return Topic(principal.tenant_id)

    def _take_place(self, topic: Topic, user: int) -> bool:
        places = (("user", user), ("tenant", topic.tenant_id), ("all", 0))
        most = (USER_SOCKETS, TENANT_SOCKETS, PROCESS_SOCKETS)
        if any(_open[place] >= limit for place, limit in zip(places, most, strict=True)):
            return False
        self._places = places
        _open.update(places)
        return True

    async def _leave(self) -> None:
        _open.subtract(self._places)
        for place in self._places:
            if not _open[place]:
                del _open[place]
        if self._watched is not None:
            watch.remove(self._watched)
        if self._looking is not None:
            self._looking.cancel()
        if self._topic is not None:
            hub.leave(self._topic, self)


class RunConsumer(RunsConsumer):
    """A socket about one run."""

    def _topic_in(self, principal: Principal) -> Topic | None:
        run_id: UUID = self.scope["url_route"]["kwargs"]["run_id"]
        folder = folders_of_runs(principal.tenant_id, [run_id]).get(run_id)
        if not principal.may_in(RUNS_READ, folder):
            return None
        self._run = run_id
        self._has_tree = may_begin_runs(principal.tenant_id, run_id)
        return Topic(principal.tenant_id, str(run_id))
