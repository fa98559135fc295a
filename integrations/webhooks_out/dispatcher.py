"""Looks for webhooks that have something to be sent and has each served in a thread of its own.

A tick keeps the look-out going, which looks twice a second until it has heard no tick for a while. Nothing that a
receiver does holds up the tick or another webhook; those that fail have only some of the threads. What hangs all
the same is counted no more once its lease is over: another one serves its webhook.
"""

import logging
import threading
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass

from django.db import connection

from integrations.webhooks_out import store
from integrations.webhooks_out.delivering import serve
from integrations.webhooks_out.store import LEASE_SECONDS, Leased
from lib.database_errors import OPERATIONAL_ERRORS, log_database_error

log = logging.getLogger("handoff.webhooks")

SLOTS = 12
"""So many webhooks are served at once by a process."""
FAILING_SLOTS = 4
"""So many of them may be ones at which the last attempt failed."""
LOOK_SECONDS = 0.5
DEAF_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class _Slot:
    since: float
    failing: bool

    def counts(self) -> bool:
        return time.monotonic() - self.since < LEASE_SECONDS


class Lookout:
    """The threads of this process that serve webhooks, and the one that looks for more to do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._slots: dict[str, _Slot] = {}
        self._heard_at = 0.0
        self._looked_at = 0.0
        self._looker: threading.Thread | None = None

    def tick(self) -> int:
        """Keep looking, from now on for DEAF_SECONDS at least; gives how many webhooks are being served."""
        now = time.monotonic()
        with self._lock:
            self._heard_at = now
            looks = self._looker is not None and self._looker.is_alive()
            if not looks or now - self._looked_at > DEAF_SECONDS:
                self._looked_at = now
                self._looker = threading.Thread(target=self._look, name="webhook-lookout", daemon=True)
                self._looker.start()
            return len(self._slots)

    def settle(self, seconds: float) -> bool:
        """Look no more, and wait for what is being served; whether that was over within so many seconds."""
        until = time.monotonic() + seconds
        looker, self._looker = self._looker, None
        while time.monotonic() < until:
            if not self._slots and not (looker and looker.is_alive()):
                return True
            time.sleep(LOOK_SECONDS / 10)
        return False

    def _look(self) -> None:
        me = threading.current_thread()
        try:
            while self._looker is me and time.monotonic() - self._heard_at < DEAF_SECONDS:
                self._looked_at = time.monotonic()
                while self._begin():
                    pass
                time.sleep(LOOK_SECONDS)
        except OPERATIONAL_ERRORS as error:
            # The next tick begins anew.
            log_database_error(log, "The look-out for webhooks", error)
        finally:
            connection.close()

    def _begin(self) -> bool:
        """Have one more webhook served; False where there is none, or no room."""
        with self._lock:
            counted = [slot for slot in self._slots.values() if slot.counts()]
        if len(counted) >= SLOTS:
            return False
        room = sum(slot.failing for slot in counted) < FAILING_SLOTS
        worker = uuid.uuid4().hex
        leased = store.lease(worker, failing=room)
        if leased is None:
            return False
        with self._lock:
            self._slots[worker] = _Slot(time.monotonic(), leased.failures > 0)
        threading.Thread(
            target=self._serve, args=(leased, worker), name=f"webhook-{leased.webhook}", daemon=True
        ).start()
        return True

    def _serve(self, leased: Leased, worker: str) -> None:
        try:
            serve(leased, worker)
        except OPERATIONAL_ERRORS as error:
            log_database_error(log, "Sending webhooks", error)
            connection.close()
            # Where the database is still away, the lease ends by itself.
            with suppress(*OPERATIONAL_ERRORS):
                store.release(leased.webhook, worker)
        except Exception:
            # Its lease ends by itself; then it is tried again.
            log.exception("Serving the webhook %s failed", leased.webhook)
        finally:
            with self._lock:
                self._slots.pop(worker, None)
            connection.close()


here = Lookout()
