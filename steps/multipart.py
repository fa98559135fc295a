"""A body of `multipart/form-data` (RFC 7578): texts and files of the run."""

import hashlib
import re
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from lib.media import clean_name
from steps.base import Params, StepContext
from steps.files import read
from steps.limits import MULTIPART_BYTES

_MEDIA_TYPE = re.compile(r"[\w.+-]{1,100}/[\w.+-]{1,100}(; ?charset=[\w-]{1,40})?", re.ASCII)


class Part(Params):
    """One part: a file of the run, or a text."""

    name: str = Field(min_length=1, max_length=200, title="Field", description="The name of the field.")
    file: str | None = Field(None, title="File", description="The id of a file of the run.")
    value: str | int | float | bool | None = Field(
        None, title="Text", description="A text, where it is no file."
    )
    filename: str | None = Field(
        None, max_length=255, title="File name", description="Another name for the file."
    )
    type: str | None = Field(
        None, title="Media type", description="Another media type than the detected one."
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> "Part":
        if (self.file is None) == (self.value is None):
            raise PydanticCustomError("one_of_both", "needs either `file` or `value`")
        if self.type is not None and not _MEDIA_TYPE.fullmatch(self.type):
            raise PydanticCustomError("no_type", "must have a media type such as image/png as `type`")
        return self


class Body(NamedTuple):
    """A body and its media type."""

    content: bytes
    media_type: str


def body_of(context: StepContext, parts: Sequence[Part]) -> Body:
    """The parts as one body, the same for every attempt. Raises StepError FileNotFound and FilesTooLarge."""
    names = [
        (part.file, f"multipart[{place}].file") for place, part in enumerate(parts) if part.file is not None
    ]
    contents = iter(read(context.files, names, most_bytes=MULTIPART_BYTES))
    lines: list[tuple[bytes, bytes]] = []
    digest = hashlib.sha256(context.idempotency_key.encode())
    for part in parts:
        head = f'Content-Disposition: form-data; name="{_quoted(part.name)}"'
        if part.file is None:
            content = spelled(part.value).encode()
            head += f"\r\nContent-Type: {part.type}" if part.type else ""
        else:
            info, content = next(contents)
            name = clean_name(part.filename or info.name)
            head += f'; filename="{_quoted(name)}"\r\nContent-Type: {part.type or info.media_type}'
        digest.update(content)
        lines.append((head.encode(), content))
    # It depends on all that is sent, so no part can contain it.
    boundary = digest.hexdigest()
    start = f"--{boundary}\r\n".encode()
    body = b"".join(b"".join((start, head, b"\r\n\r\n", content, b"\r\n")) for head, content in lines)
    return Body(body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}")


def _quoted(name: str) -> str:
    """A name within quotes, as browsers write it (HTML, "multipart/form-data")."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def spelled(value: object) -> str:
    """A value as the text of a form's field."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)
