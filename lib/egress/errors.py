"""How a request to the outside ends when it does not end with an answer."""


class EgressError(Exception):
    """There is no answer; `message` is a sentence for people and holds neither query nor header of the request.

    `status`: that of the answer whose headers or body could not be read; None where there was none. `hops`: how many
    redirects were answered before.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.status: int | None = None
        self.hops = 0


class EgressRefused(EgressError):
    """A rule forbids the request, or the one that a redirect asks for, and that one was not sent.

    `allowance`: the entry of an allow-list that would let it pass; None where no entry does.
    """

    def __init__(self, message: str, *, allowance: str | None = None) -> None:
        super().__init__(message)
        self.allowance = allowance


class EgressFailed(EgressError):
    """The name could not be resolved, nobody answered, or the answer was no proper HTTP."""


class EgressUnreached(EgressFailed):
    """There was no connection, so nothing was sent."""


class EgressRedirects(EgressFailed):
    """There were more redirects than are followed."""


class EgressTimeout(EgressError):
    """The time was over before the answer was complete."""


class EgressTooLarge(EgressError):
    """The answer has more bytes, or more headers, than are taken."""
