"""What can be wrong with a blob: refusals, so that every door says so in its own way."""

from lib.refusals import Conflict, Unavailable

CHANGED = "This payload was changed in storage: restore it from a backup, as {key}."
MISSING = "This payload is missing from storage: restore it from a backup, as {key}."


class BlobError(Conflict):
    """What is kept beside the database can't be had."""

    code = "payload_unreadable"


class BlobMissing(BlobError):
    """The store has nothing of this key."""

    code = "payload_missing"


class BlobChanged(BlobError):
    """What the store has is not what was put there."""

    code = "payload_changed"


class BlobAway(BlobError, Unavailable):
    """The store can't be reached, or refuses: it makes sense to try again."""

    code = "payload_store_away"
    retry_after = 2
