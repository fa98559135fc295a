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


def expected_revisions(request: Request) -> frozenset[int] | None:
    """The revisions in `If-Match`, one or a list (RFC 9110); None for `*`, which is any.

    Raises PreconditionRequired without one, Stale where none is an ETag of ours. Weak ones match nothing.
    """
    header = request.headers.get("If-Match")
    if header is None:
        raise PreconditionRequired
    if header.strip() == "*":
        return None
    matches = (_ETAG.fullmatch(tag.strip()) for tag in header.split(","))
    revisions = frozenset(int(match.group(1)) for match in matches if match)
    if not revisions:
        raise Stale("If-Match is not the ETag of this draft.")
    return revisions


def is_known(request: Request, revision: int) -> bool:
    """Whether `If-None-Match` names this revision, or any (`*`): the sender has it."""
    header = request.headers.get("If-None-Match", "")
    return header.strip() == "*" or etag(revision) in {
        tag.strip().removeprefix("W/") for tag in header.split(",")
    }
