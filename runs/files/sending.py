"""A file on its way to a browser."""

from django.http import HttpResponse
from django.utils.http import content_disposition_header

from lib.media import ANY, SHOWN
from runs.files.store import FileRow


def sent(row: FileRow, content: bytes, *, is_shown: bool) -> HttpResponse:
    """A file on its way to a browser, where nothing in it may act: saved, or shown where that is safe."""
    is_inline = is_shown and row["media_type"] in SHOWN
    # A PDF's viewer does not start within a sandbox.
    policy = "default-src 'none'" + (
        "; object-src 'self'; style-src 'unsafe-inline'" if is_inline else "; sandbox"
    )
    return HttpResponse(
        content,
        content_type=row["media_type"] if is_inline else ANY,
        headers={
            "Content-Disposition": content_disposition_header(not is_inline, row["name"]) or "attachment",
            "Content-Security-Policy": f"{policy}; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        },
    )
