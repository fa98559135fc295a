"""What the bytes of a file say that it is, whatever its name says; pure.

A list of those few that may be shown, and of those that people hand in most; strict, because what is shown must be it.
"""

import re
import unicodedata
from collections.abc import Iterable
from io import BytesIO
from zipfile import BadZipFile, ZipFile

FILE_NAME_CHARACTERS = 200
"""The name of a file with its suffix; a longer one is cut."""
ANY = "application/octet-stream"
SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf")
"""What a browser may show: nothing in them acts."""
_STARTS = (
    (rb"\x89PNG\r\n\x1a\n", "image/png"),
    (rb"\xff\xd8\xff", "image/jpeg"),
    (rb"GIF8[79]a", "image/gif"),
    (rb"RIFF....WEBP", "image/webp"),
    (rb"%PDF-\d", "application/pdf"),
)
_OFFICE = "application/vnd.openxmlformats-officedocument"
_PARTS = {
    "word/document.xml": f"{_OFFICE}.wordprocessingml.document",
    "xl/workbook.xml": f"{_OFFICE}.spreadsheetml.sheet",
    "ppt/presentation.xml": f"{_OFFICE}.presentationml.presentation",
}


def media_type_of(content: bytes, name: str) -> str:
    """Its media type; of text, `text/csv` where its name says so. What nobody knows is `application/octet-stream`."""
    for start, media_type in _STARTS:
        if re.match(start, content, re.DOTALL):
            return media_type
    if content.startswith(b"PK\x03\x04"):
        return _of_zip(content)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return ANY
    if not content or any(unicodedata.category(one) == "Cc" and one not in "\t\n\r\f" for one in text):
        return ANY
    return "text/csv" if name.lower().endswith(".csv") else "text/plain"


def is_accepted(media_type: str, name: str, accept: Iterable[str]) -> bool:
    """Whether one of `.pdf`, `image/*` or `application/pdf` fits it, as in a browser's `accept`; nothing said: any."""
    patterns = [one.strip().lower() for one in accept]
    whole = media_type.partition("/")[0] + "/*"
    return not patterns or any(
        name.lower().endswith(one) if one.startswith(".") else one in (media_type, whole) for one in patterns
    )


def clean_name(name: str) -> str:
    """The name of a file, as it may stand in any folder: without a path, control characters and what systems refuse."""
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    text = "".join(one for one in last if unicodedata.category(one)[0] != "C" and one not in '<>:"|?*')
    stem, dot, suffix = text.strip(" .").rpartition(".")
    suffix = f"{dot}{suffix}"[:20] if stem else ""
    return ((stem or text.strip(" ."))[: FILE_NAME_CHARACTERS - len(suffix)] + suffix) or "file"


def _of_zip(content: bytes) -> str:
    try:
        names = set(ZipFile(BytesIO(content)).namelist())
    except (BadZipFile, ValueError, NotImplementedError, OSError):
        return ANY
    return next((kind for part, kind in _PARTS.items() if part in names), "application/zip")
