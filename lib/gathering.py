"""Calls that come together are done together. There is no timer: one that comes alone waits for nobody.

As databases gather commits: the first call of a kind does its work, and what comes meanwhile waits and is done as one.
So a statement and a commit serve many, and cost each a part.
"""

import contextlib
import copy
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final, Generic, TypeVar

from django.db import connection, transaction

from lib.database_errors import OPERATIONAL_ERRORS, may_have_committed

K = TypeVar("K", bound=Hashable)
A = TypeVar("A")
R = TypeVar("R")

BY_ITSELF: Final[Any] = object()
"""The answer to a call that must be done once more, by itself: the others of its batch were done."""
PATIENCE_SECONDS = 0.5
"""A call that waits longer for its turn is done by itself: whoever goes first may wait for somebody else."""
LOCK_MILLISECONDS = 300
"""So long several calls at once wait for a row that somebody has."""


class _Call(Generic[A, R]):
    """A call that somebody waits for: with its answer, or to be done by whoever waits for it."""

    __slots__ = ("answer", "error", "is_answered", "leads", "question", "turn")

    def __init__(self, question: A) -> None:
        self.question = question
        self.answer: R
        self.is_answered = False
        self.error: BaseException | None = None
        self.leads = False
        # Held until it is the caller's turn; lighter than an event.
        self.turn = threading.Lock()
        self.turn.acquire()


class Gathered(Generic[K, A, R]):
    """A function of one thing, made of one that does many of a kind at once, up to `most`.

    `do(kind, questions)` gives an answer for each of `questions`, in one transaction or without changing anything
    (`reads`). Where it raises, each is done by itself, in the thread of its caller: what is refused or breaks for one
    harms no other.
    Not so where it may have been committed, which nobody knows once the connection is lost: then all are told the
    same. Nobody waits for a lock that somebody else in the batch needs, nor long for its turn.
    """

    def __init__(
        self, do: Callable[[K, Sequence[A]], Sequence[R]], *, most: int = 100, reads: bool = False
    ) -> None:
        self._do = do
        self._most = most
        self._reads = reads
        self._lock = threading.Lock()
        self._waiting: dict[K, deque[_Call[A, R]]] = {}

    def __call__(self, kind: K, question: A) -> R:
        """The answer to what is asked. Raises what `do` raises for it alone.

        Within a transaction it is done there and then: what others do must not hang on whether that commits.
        """
        if transaction.get_connection().in_atomic_block:
            return self._alone(kind, question)
        call: _Call[A, R] = _Call(question)
        with self._lock:
            queue = self._waiting.get(kind)
            if queue is None:
                self._waiting[kind] = deque()
                call.leads = True
            else:
                queue.append(call)
        if not call.leads:
            self._await_turn(kind, call)
        if call.leads:
            self._lead(kind, call)
        if call.error is not None:
            raise call.error
        return call.answer if call.is_answered else self._alone(kind, question)

    def _alone(self, kind: K, question: A) -> R:
        return self._do(kind, [question])[0]

    def _await_turn(self, kind: K, call: _Call[A, R]) -> None:
        """Return when it was done, is to lead, or has waited too long to be done with others."""
        # Who leads may be waiting for a connection that those who wait have: theirs are shared.
        with contextlib.suppress(Exception):
            if (give_back := getattr(transaction.get_connection(), "give_back", None)) is not None:
                give_back()
        if call.turn.acquire(timeout=PATIENCE_SECONDS):
            return
        with self._lock:
            queue = self._waiting.get(kind, deque())
            if call in queue:
                queue.remove(call)
                return
        call.turn.acquire()

    def _lead(self, kind: K, own: _Call[A, R]) -> None:
        """Do what waits along with one's own, and let the next one lead."""
        with self._lock:
            queue = self._waiting[kind]
            calls = [own, *(queue.popleft() for _ in range(min(len(queue), self._most - 1)))]
        try:
            with self._hurried(len(calls)):
                answers = self._do(kind, [call.question for call in calls])
            for call, answer in zip(calls, answers, strict=True):
                if answer is not BY_ITSELF:
                    call.answer, call.is_answered = answer, True
        except BaseException as error:
            if len(calls) == 1 or not isinstance(error, Exception):
                # What ends the thread's request is nobody else's: the others are done by themselves.
                own.error = error
            elif not self._reads and may_have_committed(error):
                for call in calls:
                    call.error = _copied(error)
        finally:
            self._pass_on(kind)
            for call in calls[1:]:
                call.turn.release()

    @contextlib.contextmanager
    def _hurried(self, count: int) -> Iterator[None]:
        """Several calls don't wait for what one of them has to wait for: those are done by themselves then."""
        if count == 1 or self._reads:
            yield
            return
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = '{LOCK_MILLISECONDS}ms'")
        try:
            yield
        finally:
            try:
                with connection.cursor() as cursor:
                    cursor.execute("RESET lock_timeout")
            except OPERATIONAL_ERRORS:
                connection.close()

    def _pass_on(self, kind: K) -> None:
        with self._lock:
            queue = self._waiting[kind]
            if queue:
                following = queue.popleft()
                following.leads = True
                following.turn.release()
            else:
                del self._waiting[kind]


def _copied(error: BaseException) -> BaseException:
    """For another thread: one that is raised in several would have the traces of all of them."""
    mine = copy.copy(error)
    mine.__cause__ = error.__cause__ or error
    return mine
