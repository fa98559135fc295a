"""Why Handoff cannot start here."""


class CannotStart(Exception):
    """The message is the one line that the user sees: what is wrong, and what to do."""


PREPARE_REFUSED = 3
"""The exit code with which `manage.py prepare` says: one line, no traceback, do not start."""
