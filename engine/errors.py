"""What can go wrong in a workflow, as the engine names it."""

from collections.abc import Mapping
from typing import Any, Final

from engine.limits import ERROR_REASON_CHARACTERS


class EngineError(Exception):
    """The engine refuses this."""


class ExpressionInvalid(EngineError):
    """The expression does not compile."""


class ExpressionError(EngineError):
    """The expression compiled but failed on these values. `code` and `details` are those of the error of a step."""

    code = "ExpressionError"

    def at(self, path: str) -> "ExpressionError":
        """The same, of an expression that stands there."""
        return type(self)(f"in {path}: {self}")

    @property
    def details(self) -> dict[str, int | str]:
        """Small JSON for developers."""
        return {}


class NotEvaluated(ExpressionError):
    """This machine could not evaluate the expression now, which says nothing about it: another attempt may."""


class OutOfTime(ExpressionError):
    """Whoever asked for the values of expressions waits no longer, which says nothing about them."""


class TooMuchWork(ExpressionError):
    """What people wrote takes more work than it may: `place` says where it stands, `budget` how much is allowed."""

    code = "TooMuchWork"

    def __init__(self, place: str, budget: int | str, message: str | None = None) -> None:
        self.place, self.budget = place, budget
        allowed = f"{budget:,} units of work" if isinstance(budget, int) else budget
        super().__init__(message or f"{place or 'this'} takes more than the {allowed} that it may take")

    def at(self, path: str) -> "TooMuchWork":
        """The same, of an expression that stands there."""
        return TooMuchWork(path, self.budget, f"in {path}: {self}")

    @property
    def details(self) -> dict[str, int | str]:
        """As answers and errors of runs have it."""
        return {"place": self.place, "budget": self.budget}


class StepError(EngineError):
    """A step could not do its work.

    `code` is a stable CamelCase name (`BadInput`), `message` a sentence for people, `retryable` whether another
    attempt may succeed, `details` small JSON for developers.
    """

    def __init__(
        self, code: str, message: str, *, retryable: bool = False, details: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.details = dict(details or {})


UNKNOWN: Final = "unknown"
DONE: Final = "done"
OUTCOMES: Final = (UNKNOWN, DONE)
"""What `details.outcome` of an error may say: nobody knows whether the other side did its work, or it did."""


def is_done(error: Mapping[str, object]) -> bool:
    """Whether the error of an attempt says that the other side did its work: another attempt would do it twice."""
    details = error.get("details")
    return isinstance(details, Mapping) and details.get("outcome") == DONE


def failure_of(error: ExpressionError, message: str, *, retryable: bool = False) -> StepError:
    """An expression's error as that of its step, with its code and details."""
    return StepError(error.code, message, retryable=retryable, details=error.details)


def in_brief(error: Mapping[str, Any]) -> dict[str, Any]:
    """The error of a run or an item as the error of what waited for it keeps it: without details, but with the
    `reason` why a child was not started, from however deep.
    """
    brief = {key: value for key, value in error.items() if key != "details"}
    reason = _reason(error)
    return brief if reason is None else brief | {"reason": reason}


def _reason(error: Mapping[str, Any]) -> str | None:
    details = error.get("details")
    if not isinstance(details, Mapping):
        return None
    first, inner = details.get("first"), details.get("error")
    if (
        error.get("code") == "ItemsFailed"
        and isinstance(first, Mapping)
        and isinstance(first.get("error"), Mapping)
    ):
        return _reason(first["error"])
    source = details if error.get("code") == "ChildNotStarted" else inner
    reason = source.get("reason") if isinstance(source, Mapping) else None
    return reason if isinstance(reason, str) and len(reason) <= ERROR_REASON_CHARACTERS else None
