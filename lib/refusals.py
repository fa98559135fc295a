"""What a service answers when it won't do what was asked; each door (API, page, command) shows it in its own way."""

from collections.abc import Callable, Mapping
from typing import Any


class Refusal(Exception):
    """What was asked can't be done.

    `code` is a stable name for programs, `message` a sentence for people, `field` the input that is to blame
    (dotted for nested ones), `details` small JSON.
    """

    code = "refused"
    retry_after: int | None = None
    """Seconds after which it makes sense to ask again; None where time alone changes nothing."""

    def __init__(
        self,
        message: str | None = None,
        *,
        code: str | None = None,
        field: str | None = None,
        details: Mapping[str, object] | None = None,
    ) -> None:
        self.message = message or (type(self).__doc__ or "").splitlines()[0]
        self.code = code or type(self).code
        self.field = field
        self.details = dict(details or {})
        super().__init__(self.message)


class Invalid(Refusal):
    """The input is not valid."""

    code = "invalid"


class TooLarge(Invalid):
    """This is larger than what is allowed here."""

    code = "too_large"


class TooMuchWork(Invalid):
    """What somebody wrote takes more work than it may: `place` says where it stands, `budget` how much is allowed."""

    code = "too_much_work"

    def __init__(self, place: str, budget: int | str, message: str | None = None) -> None:
        allowed = f"{budget:,} units of work" if isinstance(budget, int) else budget
        text = message or f"{place or 'This'} takes more than the {allowed} that it may take."
        super().__init__(text, field=place or None, details={"place": place, "budget": budget})


class NotProven(Refusal):
    """Who sent this could not be verified."""

    code = "not_authenticated"


class NotAllowed(Refusal):
    """You are not allowed to do this."""

    code = "forbidden"


class Missing(Refusal):
    """There is no such thing."""

    code = "not_found"


class Gone(Refusal):
    """This is no longer served."""

    code = "gone"


class Conflict(Refusal):
    """This can't be done in the present state."""

    code = "conflict"


class Unavailable(Refusal):
    """Something that this needs is away; ask again shortly."""

    code = "unavailable"
    retry_after = 2


class InProgress(Conflict):
    """This is being done at the moment; ask again shortly."""

    code = "in_progress"
    retry_after = 1


class Stale(Refusal):
    """This was changed since you read it."""

    code = "stale"


class Unprocessable(Refusal):
    """The input was understood, but there are problems in it."""

    code = "unprocessable"


class TooMany(Refusal):
    """There were too many attempts; wait a while."""

    code = "throttled"

    def __init__(self, message: str | None = None, *, retry_after: int) -> None:
        super().__init__(message, details={"retry_after": retry_after})
        self.retry_after = retry_after


_OF_OTHERS: dict[type[Exception], Callable[[Any], Refusal]] = {}


def is_refused_as(kind: type[Exception], refusal: Callable[[Any], Refusal]) -> None:
    """An exception of this kind, raised below the services, is answered as this refusal says."""
    _OF_OTHERS[kind] = refusal


def refusal_of(error: Exception) -> Refusal | None:
    """The refusal that an exception is or stands for; None for any other."""
    if isinstance(error, Refusal):
        return error
    return next((refusal(error) for kind, refusal in _OF_OTHERS.items() if isinstance(error, kind)), None)
