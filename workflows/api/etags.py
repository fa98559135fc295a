"""A draft's revision as an ETag, and what `If-Match` asks for (R-163)."""

import re

from rest_framework.exceptions import APIException
from rest_framework.request import Request

from lib.refusals import Stale

_ETAG = re.compile(r'"([1-9][0-9]{0,9})"', re.ASCII)


class PreconditionRequired(APIException):
    """The request must say which revision it changes."""

    status_code = 428
    default_code = "precondition_required"
    default_detail = "Send the ETag of the draft that you read as If-Match."


def etag(revision: int) -> str:
    """The ETag of a draft at this revision."""
    return f'"{revision}"'


def expected_revision(request: Request) -> int:
    """The revision in `If-Match`. Raises PreconditionRequired without one, Stale for what is no ETag of ours."""
    header = request.headers.get("If-Match")
    if header is None:
        raise PreconditionRequired
    match = _ETAG.fullmatch(header.strip())
    if match is None or int(match.group(1)) >= 2**31:
        raise Stale("If-Match is not the ETag of this draft.")
    return int(match.group(1))


def is_known(request: Request, revision: int) -> bool:
    """Whether `If-None-Match` names this revision: the sender has it."""
    header = request.headers.get("If-None-Match", "")
    return etag(revision) in {tag.strip().removeprefix("W/") for tag in header.split(",")}
