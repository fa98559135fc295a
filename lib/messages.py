"""What somebody else's error says, in one line of a log or a page."""


def first_line(error: BaseException) -> str:
    """The first line of what an error says, or its name where it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
