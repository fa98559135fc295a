"""Whether this process belongs to its database: its master key opens something there, and its payloads are those.

Who has another key or another database's payloads would take duties, fail at them, and have others pay for that. So it
does not start (docs/operations.md, "What belongs together").
"""

import logging

from django.conf import settings
from django.db import connection

from accounts import sealed
from config import start_environment
from config.limits import MARKER_BYTES
from lib.blobs import BadBlobStore, BlobAway, BlobError, BlobMissing, Blobs
from lib.database_errors import OPERATIONAL_ERRORS
from lib.messages import first_line
from runs.limits import WHOLE_VALUE_BYTES
from runs.store import payloads
from runs.store.blobs import installation, newest_blobs

log = logging.getLogger(__name__)

MARKER = "installation"
"""The key by which a store has the number of the database that it belongs to."""
_SAMPLE = 20


def of_key() -> str | None:
    """Why the master key is another database's; None where it is this one's, or nothing is sealed yet."""
    with connection.cursor() as cursor:
        # In a database that is about to be changed to two roles the tables may be the other one's still.
        cursor.execute(
            "SELECT coalesce(has_table_privilege(to_regclass('accounts_tenantkey'), 'SELECT'), false)"
        )
        [has_tables] = cursor.fetchone()
    if not (has_tables and sealed.opens_nothing()):
        return None
    what = "The master key opens none of" if settings.HANDOFF_MASTER_KEYS else "There is no master key for"
    return (
        f"{what} the secrets of this database: set HANDOFF_MASTER_KEY (or master-key in the home) to the key of the"
        " hosts that work on it, or DATABASE_URL to the database of this key."
    )


def of_payloads() -> str | None:
    """Why the store of payloads is another database's; None where it is this one's, is nobody's yet, or is away."""
    try:
        store = payloads.store()
        owner = _owner(store) if store is not None else None
    except (BlobAway, BadBlobStore):
        # Said elsewhere, and nothing is lost meanwhile: values stay in their rows.
        return None
    is_ours = owner is None or owner == installation()
    return None if is_ours else _not_ours("belongs to another database")


def claim_payloads() -> str | None:
    """Have a store of payloads that is nobody's yet know whose it is; why it can't be this database's, if so."""
    if reason := of_payloads():
        return reason
    try:
        store = payloads.store()
        if store is not None and _owner(store) is None:
            if (keys := newest_blobs(_SAMPLE)) and all(_lacks(store, key) for key in keys):
                return _not_ours("has none of the payloads of this database")
            store.put(MARKER, installation().encode())
    except (BlobAway, BadBlobStore) as error:
        log.warning("The store of payloads is not marked as this database's: %s", error)
    return None


def complaints() -> list[str]:
    """A sentence for each thing here that is another database's."""
    return [reason for reason in (of_key(), of_payloads()) if reason]


def reasons_to_end() -> list[str]:
    """As `complaints`, for who is about to work: a database that is away says nothing of that."""
    try:
        return complaints()
    except OPERATIONAL_ERRORS as problem:
        log.warning("Whether this process belongs to its database is not known: %s", first_line(problem))
        return []
    finally:
        connection.close()


def refuse() -> None:
    """For a process that executes or sends: raises SystemExit where it does not belong to its database, and where
    Handoff observes only."""
    if start_environment.observes():
        raise SystemExit(
            f"This process does not start: {start_environment.VARIABLE}=observe starts web alone."
        )
    if reasons := reasons_to_end():
        raise SystemExit(f"This process does not start. {' '.join(reasons)}")


def _not_ours(what: str) -> str:
    return (
        f"{settings.HANDOFF_BLOBS} {what}: set HANDOFF_BLOBS to where its payloads are, or DATABASE_URL to the database"
        " of these."
    )


def _owner(store: Blobs) -> str | None:
    """The number that a store is marked with; None for none."""
    try:
        return store.get(MARKER, MARKER_BYTES).decode(errors="replace").strip()
    except BlobMissing:
        return None
    except BlobAway:
        # A folder is made with the first payload.
        if store.prefixes():
            raise
        return None


def _lacks(store: Blobs, key: str) -> bool:
    try:
        store.get(key, WHOLE_VALUE_BYTES)
    except BlobMissing:
        return True
    except BlobAway:
        return not store.prefixes()
    except BlobError:
        pass
    return False
