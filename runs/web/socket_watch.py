"""Whether those who watch through sockets still may: asked for all of the process at once, every few seconds."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from channels.db import database_sync_to_async

from accounts import sessions
from accounts.principal import Principal
from runs.access import folders_of_runs

log = logging.getLogger(__name__)

CHECK_SECONDS = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """A socket: its session, what it was let in as, and how to end it."""

    session_key: str
    user_id: int
    tenant_id: int
    scope: str
    end: Callable[[], Awaitable[None]]
    run: UUID | None = None
    """That which it is about, if it is about one: the folder of its workflow must let them in, too."""

    def may_stay(self, principal: Principal | None, folders: Mapping[UUID, int]) -> bool:
        """Whether its session still is what it was let in with, where the runs' workflows lie in these folders now."""
        return (
            principal is not None
            and (principal.user_id, principal.tenant_id) == (self.user_id, self.tenant_id)
            and self.scope in principal.scopes
            and (self.run is None or principal.may_in(self.scope, folders.get(self.run)))
        )


class SocketWatch:
    """The sockets of this process. The check runs while there are any: three statements however many there are, and
    one more for each tenant whose single runs are watched.
    """

    def __init__(self) -> None:
        self._open: set[Watched] = set()
        self._checking: asyncio.Task[None] | None = None

    def add(self, socket: Watched) -> None:
        """Watch over a socket until `remove`."""
        self._open.add(socket)
        if self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(self._check_all())

    def remove(self, socket: Watched) -> None:
        """It was closed."""
        self._open.discard(socket)

    async def _check_all(self) -> None:
        while self._open:
            await asyncio.sleep(CHECK_SECONDS)
            try:
                await self._check()
            except Exception as error:
                # The database is away: nothing is told meanwhile that says more than "something changed".
                log.warning("It can't be asked whether sockets may stay: %s", error or type(error).__name__)

    async def _check(self) -> None:
        sockets = set(self._open)
        keys = {socket.session_key for socket in sockets}
        principals = await database_sync_to_async(sessions.principals)(keys)
        folders = await database_sync_to_async(folders_now)(sockets)
        over = [
            socket for socket in sockets if not socket.may_stay(principals.get(socket.session_key), folders)
        ]
        await asyncio.gather(*(socket.end() for socket in over), return_exceptions=True)


def folders_now(sockets: Iterable[Watched]) -> dict[UUID, int]:
    """Where the workflows of the runs that these sockets are about lie now: who moved one shut some out."""
    runs: dict[int, set[UUID]] = {}
    for socket in sockets:
        if socket.run is not None:
            runs.setdefault(socket.tenant_id, set()).add(socket.run)
    return {
        run: folder for tenant, ids in runs.items() for run, folder in folders_of_runs(tenant, ids).items()
    }


watch = SocketWatch()
