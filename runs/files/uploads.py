"""Uploads: a person keeps a file for a day; a start uses it (docs/files.md)."""

from collections.abc import Collection
from hashlib import sha256

from django.conf import settings
from django.db import transaction

from accounts import audit
from accounts.principal import Principal
from accounts.roles import RUNS_START
from lib.media import clean_name, media_type_of
from lib.refusals import Conflict, Invalid, Missing
from lib.scanning import is_clean
from lib.uuid7 import uuid7
from runs.files import store
from runs.files.limits import FILE_BYTES
from runs.files.store import FileRow

_EXCESS = {
    "files": "You have too many uploaded files that no start has used: use them, or wait until they expire.",
    "own": "Your uploaded files that no start has used are too large together.",
    "tenant": "The uploaded files of this tenant that no start has used are too large together.",
}


def upload(
    principal: Principal, *, name: str, content: bytes, field: str = "file", reason: str | None = None
) -> FileRow:
    """Keep a file for a start by the same person.

    Raises Forbidden, Invalid at `field` for what is empty, too large or refused by the scan, and Conflict there for one
    file too many.
    """
    principal.require(RUNS_START)
    row = described_content(principal.username, name, content, field)
    with transaction.atomic():
        if excess := store.add_file(principal.tenant_id, row, content):
            raise Conflict(_EXCESS[excess], code="too_many_files", field=field)
        audit.record(principal, f"upload {row['sha256']}", f"file {row['id']}", reason=reason)
    return row


def described_content(by: str, name: str, content: bytes, field: str = "file") -> FileRow:
    """What a new file is. Raises Invalid at `field` for what is empty, too large or refused by the scan."""
    if not content:
        raise Invalid("This file is empty.", code="empty", field=field)
    if len(content) > FILE_BYTES:
        message = f"A file has at most {FILE_BYTES // 1024 // 1024} MiB."
        raise Invalid(message, code="file_too_large", field=field)
    command = settings.HANDOFF_FILE_SCAN
    if command and not is_clean(command, content):
        raise Invalid("The scan for malware refused this file.", code="refused_by_scan", field=field)
    file_name = clean_name(name)
    return {
        "id": uuid7(),
        "name": file_name,
        "media_type": media_type_of(content, file_name),
        "size": len(content),
        "sha256": sha256(content).hexdigest(),
        "by": by,
    }


def unused(principal: Principal, ids: Collection[str]) -> dict[str, FileRow]:
    """Those of these files that they uploaded and no start has used yet."""
    return store.unused_files(principal.tenant_id, principal.username, ids) if ids else {}


def unused_file(principal: Principal, file_id: str) -> tuple[FileRow, bytes]:
    """A file that they uploaded and no start has used yet, with its bytes. Raises Missing and Forbidden."""
    principal.require(RUNS_START)
    row = unused(principal, [file_id]).get(file_id)
    content = row and store.content_of(principal.tenant_id, file_id)
    if row is None or content is None:
        raise Missing("There is no such file.")
    return row, content
