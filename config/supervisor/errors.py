"""Why Handoff cannot start here."""


class CannotStart(Exception):
    """The message is the one line that the user sees: what is wrong, and what to do."""
