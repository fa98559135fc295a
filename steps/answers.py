"""What an HTTP answer holds: its body as JSON or text, and when to come back."""

import codecs
import re
import time
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Literal
from urllib.parse import unquote, urlsplit

from engine.catalogue import Json
from engine.errors import StepError
from lib.egress import EgressResponse
from lib.strict_json import BadJson, strict_loads
from steps.limits import DISPOSITION_CHARACTERS, MEDIA_TYPE_CHARACTERS

EXCERPT_CHARS = 2_000
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# Python knows more, among them some that take quadratic time or aren't for texts.
_CHARSETS = re.compile(
    r"utf-(8|16|16-le|16-be)|ascii|iso8859-\d+|cp125\d|shift_jis|cp932|euc_(jp|kr)|iso2022_jp|cp949|gb2312|gbk|gb18030"
    r"|big5(hkscs)?|koi8-[ru]|mac-roman"
)


Form = Literal["auto", "json", "text"]
"""How a body is read: `auto` as its type says."""


def body_of(answer: EgressResponse, max_bytes: int, form: Form = "auto") -> Json:
    """The body: JSON (null for none; integers beyond 2^53 as texts), or text. Raises StepError HttpBadAnswer."""
    is_json = form == "json" or (form == "auto" and _media_type(answer).endswith(("/json", "+json")))
    if is_json and not answer.body.strip():
        return None
    text = _text_of(answer)
    if not is_json:
        if "\x00" in text:
            raise _bad(
                answer,
                f"The server's answer ({_media_type(answer)}) is not text: it contains NUL characters.",
            )
        return text
    try:
        return strict_loads(text.encode(), max_bytes=max_bytes, large_integers="text")
    except BadJson as error:
        raise _bad(answer, f"The server's JSON can't be read: {error.located}.") from None


def file_name_of(answer: EgressResponse) -> str:
    """What the server calls its answer: by Content-Disposition, else by the path of the address."""
    disposition = Message()
    disposition["Content-Disposition"] = answer.headers.get("content-disposition", "")[
        :DISPOSITION_CHARACTERS
    ]
    path = unquote(urlsplit(answer.url).path)
    return disposition.get_filename() or path.rstrip("/").rpartition("/")[2] or "answer"


def _text_of(answer: EgressResponse) -> str:
    """The body decoded: a byte order mark decides, then the charset of its type, then UTF-8.

    Texts without a charset that are no UTF-8 are taken for Windows-1252, as browsers do.
    """
    kind = _content_type(answer)
    declared = str(kind.get_param("charset") or "").strip().lower()
    mark = next((name for start, name in _MARKS if answer.body.startswith(start)), "")
    charset = mark or declared or "utf-8"
    try:
        return answer.body.decode(_known(charset)).removeprefix("\ufeff")
    except LookupError:
        raise _bad(answer, f"The server's answer has an unknown charset, {charset[:40]!r}.") from None
    except UnicodeDecodeError:
        if not mark and not declared and _is_guessable(answer):
            return answer.body.decode("cp1252", errors="replace")
        raise _bad(
            answer, f"The server's answer ({_media_type(answer)}) is not text in {charset.upper()}."
        ) from None


def _is_guessable(answer: EgressResponse) -> bool:
    """Whether the server says that it is a text, and it has no bytes that only other data have."""
    is_text = answer.headers.get("content-type", "").strip().lower().startswith("text/")
    return is_text and not _CONTROLS.search(answer.body)


def _bad(answer: EgressResponse, message: str) -> StepError:
    return StepError("HttpBadAnswer", message, details={"status": answer.status, "body": excerpt(answer)})


def excerpt(answer: EgressResponse) -> str:
    """The beginning of the body for people, whatever it is."""
    text = answer.body[: EXCERPT_CHARS * 4].decode(errors="replace")
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}")[:EXCERPT_CHARS]


def retry_after(answer: EgressResponse) -> float | None:
    """The seconds that the server wants to be left alone for: Retry-After as seconds or as a date; None without."""
    header = answer.headers.get("retry-after", "").strip()
    if header.isascii() and header.isdigit():
        return float(header[:12])
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def _content_type(answer: EgressResponse) -> Message:
    message = Message()
    message["Content-Type"] = answer.headers.get("content-type", "")[:MEDIA_TYPE_CHARACTERS] or "text/plain"
    return message


def _media_type(answer: EgressResponse) -> str:
    return _content_type(answer).get_content_type()


def _known(charset: str) -> str:
    name = codecs.lookup(charset).name
    if not _CHARSETS.fullmatch(name):
        raise LookupError(charset)
    return name
