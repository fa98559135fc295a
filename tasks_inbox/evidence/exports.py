"""The evidence of a run as files: JSON to be checked, HTML and PDF to be read, and all of it in a ZIP."""

import json
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Literal
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile

from django.db import transaction
from django.template.loader import render_to_string

from accounts import audit
from accounts.principal import Principal
from lib.load.ceilings import allow
from lib.reader import NOBODY, reading_as
from runs.files import trees
from tasks_inbox.evidence.gathering import evidence_of
from tasks_inbox.evidence.ledger import digest_of
from tasks_inbox.evidence.readable import parts_of, visible_part
from tasks_inbox.evidence.table import csv_of

Format = Literal["json", "html", "pdf", "csv", "zip"]
FORMATS: tuple[Format, ...] = ("json", "html", "pdf", "csv", "zip")
KINDS = {
    "json": "application/json",
    "html": "text/html",
    "pdf": "application/pdf",
    "csv": "text/csv",
    "zip": "application/zip",
}
SECONDS = 60.0
"""How long it may compute: a page of a PDF takes 20 ms, and evidence may have a thousand."""
BESIDE = ("verify.py", "README.txt")
_FOLDER = Path(__file__).parent / "exported"


@dataclass(frozen=True, slots=True)
class File:
    """A file to be downloaded."""

    name: str
    kind: str
    content: bytes


def export(principal: Principal, run_id: UUID, written_as: Format) -> File:
    """The evidence of the tenant's run in this format. Raises Missing, and NotAllowed without the scopes it needs."""
    allow(SECONDS)
    text = evidence_of(principal, run_id)
    content = _zipped(principal.tenant_id, text) if written_as == "zip" else _written(text, written_as)
    with transaction.atomic():
        audit.change(principal, "evidence.export", f"run {run_id}", after={"format": written_as})
    return File(f"evidence-{run_id}.{written_as}", KINDS[written_as], content)


def _zipped(tenant: int, text: str) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for one in FORMATS[:-1]:
            archive.writestr(f"evidence.{one}", _written(text, one))
        for path, file in files_in(text):
            content = trees.content_of(tenant, file)
            if content is not None:
                archive.writestr(path, content)
        for name in BESIDE:
            archive.writestr(name, (_FOLDER / name).read_bytes())
    return buffer.getvalue()


def files_in(text: str) -> list[tuple[str, str]]:
    """The files of the start and of the decisions in an evidence.json: where each lies beside it, and its id."""
    evidence = json.loads(text)
    records = (json.loads(one["record"]) for one in evidence["decisions"] if one["record"])
    files = chain(evidence.get("files", ()), (file for record in records for file in record.get("files", ())))
    return sorted({(f"files/{file['id']}-{file['name']}", file["id"]) for file in files})


def _written(text: str, written_as: Format) -> bytes:
    if written_as == "json":
        return text.encode()
    if written_as == "csv":
        with reading_as(NOBODY):
            return csv_of(text)
    whole, digest = visible_part(parts_of(text)), digest_of(text)
    if written_as == "pdf":
        # Loaded by whoever prints: fonts and what reads them take a third of a second of each start.
        pdf: bytes = import_module("tasks_inbox.evidence.printing").pdf_of(
            whole, f"{whole.title} · SHA-256 of its evidence.json: {digest}"
        )
        return pdf
    return render_to_string("inbox/evidence.html", {"whole": whole, "digest": digest}).encode()
