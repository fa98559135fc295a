"""What somebody else's error says, in one line of a log or a page."""

LONGEST_LINE = 500


def first_line(error: BaseException) -> str:
    """The first line of what an error says, or its name where it says nothing."""
    return cut_line(str(error)) or type(error).__name__


def named(error: BaseException) -> str:
    """The name of an error, with the first line of what it says where it says something."""
    return ": ".join(filter(None, (type(error).__name__, cut_line(str(error)))))


def cut_line(text: str) -> str:
    """The first line of a text that is not empty, at most `LONGEST_LINE` characters of it."""
    return (text.strip().splitlines() or [""])[0][:LONGEST_LINE]
