"""What an HTTP answer holds: its body as JSON or text, and when to come back."""

import codecs
import re
import time
from email.message import Message
from email.utils import parsedate_to_datetime

from engine.catalogue import Json
from engine.errors import StepError
from lib.egress import EgressResponse
from lib.strict_json import BadJson, strict_loads
from steps.limits import MEDIA_TYPE_CHARACTERS

EXCERPT_CHARS = 2_000
# Python knows more, among them some that take quadratic time or aren't for texts.
_CHARSETS = re.compile(
    r"utf-(8|16|16-le|16-be)|ascii|iso8859-\d+|cp125\d|shift_jis|cp932|euc_(jp|kr)|iso2022_jp|cp949|gb2312|gbk|gb18030"
    r"|big5(hkscs)?|koi8-[ru]|mac-roman"
)


def body_of(answer: EgressResponse, max_bytes: int) -> Json:
    """The body: JSON where the type says so (null if there is none), else text. Raises StepError HttpBadAnswer."""
    kind = _content_type(answer)
    name = kind.get_content_type()
    if name.endswith(("/json", "+json")):
        try:
            return strict_loads(answer.body, max_bytes=max_bytes) if answer.body.strip() else None
        except BadJson as error:
            place = f" at {error.pointer}" if error.pointer else ""
            message = f"The server's JSON can't be read: {error.message}{place}."
            raise StepError("HttpBadAnswer", message, details=_describe_answer(answer)) from None
    charset = str(kind.get_param("charset") or "utf-8").strip().lower()
    try:
        text = answer.body.decode(_known(charset))
    except LookupError:
        message = f"The server's answer has an unknown charset, {charset[:40]!r}."
        raise StepError("HttpBadAnswer", message, details=_describe_answer(answer)) from None
    except UnicodeDecodeError:
        message = f"The server's answer ({name}) is not text in {charset}."
        raise StepError("HttpBadAnswer", message, details=_describe_answer(answer)) from None
    if "\x00" in text:
        message = f"The server's answer ({name}) is not text: it contains NUL characters."
        raise StepError("HttpBadAnswer", message, details=_describe_answer(answer))
    return text


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


def _known(charset: str) -> str:
    name = codecs.lookup(charset).name
    if not _CHARSETS.fullmatch(name):
        raise LookupError(charset)
    return name


def _describe_answer(answer: EgressResponse) -> dict[str, object]:
    return {"status": answer.status, "body": excerpt(answer)}
