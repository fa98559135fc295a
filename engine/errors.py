"""What can go wrong in a workflow, as the engine names it."""

from collections.abc import Mapping


class EngineError(Exception):
    """The engine refuses this."""


class ExpressionInvalid(EngineError):
    """The expression does not compile."""


class ExpressionError(EngineError):
    """The expression compiled but failed on these values."""


class NotEvaluated(ExpressionError):
    """This machine could not evaluate the expression now, which says nothing about it: another attempt may."""


class OutOfTime(ExpressionError):
    """Whoever asked for the values of expressions waits no longer, which says nothing about them."""


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
