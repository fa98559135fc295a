"""Files that people should not send, each with what becomes of it."""

from io import BytesIO
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

from runs.files.limits import FILE_BYTES

PDF = b"%PDF-1.7 receipt"
PNG = b"\x89PNG\r\n\x1a\n picture"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


class Odd(NamedTuple):
    """A file: its content and name, the code of its refusal or none, the name and the type that it is kept with."""

    content: bytes
    name: str
    code: str = ""
    kept_name: str = ""
    media_type: str = "application/pdf"


def zip_bomb() -> bytes:
    """A small ZIP of 50 MB of zeros; nobody unpacks it."""
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(50_000_000))
    return buffer.getvalue()


ODD = {
    "empty": Odd(b"", "a.pdf", "empty"),
    "too large": Odd(PDF + bytes(FILE_BYTES + 1 - len(PDF)), "a.pdf", "file_too_large"),
    "path": Odd(PDF, "../../etc/a.pdf", "", "a.pdf"),
    "windows path": Odd(PDF, "..\\..\\a.pdf", "", "a.pdf"),
    "quotes": Odd(PDF, "a\"b'c.pdf", "", "ab'c.pdf"),
    "right to left": Odd(PDF, "a\u202efdp.exe", "", "afdp.exe"),
    "control character": Odd(PDF, "a\x07b.pdf", "", "ab.pdf"),
    "zip bomb": Odd(zip_bomb(), "bomb.zip", "", "bomb.zip", "application/zip"),
    "script": Odd(SVG, "a.svg", "", "a.svg", "text/plain"),
    "html as a picture": Odd(b"<script>alert(1)</script>", "a.png", "", "a.png", "text/plain"),
}
