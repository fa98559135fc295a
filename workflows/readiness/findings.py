"""What the check before publishing finds, and the press that mends it. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from engine.pointers import pointer_of
from engine.problems import Severity
from lib.json import Json
from lib.ports import Port
from workflows.models import Workflow

MendKind = Literal["fix", "field", "page", "request"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to mend a finding by a request: its label and the body."""

    title: str
    body: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mend:
    """The press that mends a finding.

    `fix` applies the finding's fix, `field` goes to its field, `page` opens `path`, `request` sends the body of one of
    `choices` to `path` with `method`, with `after_publish` only once the draft is published. `allowed`: whether the
    reader may do so; if not, `people` are usernames of some who may.
    """

    kind: MendKind
    title: str
    path: str | None = None
    method: str | None = None
    choices: tuple[Choice, ...] = ()
    after_publish: bool = False
    allowed: bool = True
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that is wrong with a draft, or with its use here. Errors block publishing, warnings do not.

    `validates`: `validate` reports it, too.
    """

    code: str
    message: str
    mend: Mend
    severity: Severity = "warning"
    node: str | None = None
    field: str = ""
    fix: Mapping[str, Json] | None = None
    validates: bool = False

    @property
    def pointer(self) -> str:
        """The field as a JSON pointer (R-023)."""
        return pointer_of(self.field)

    @property
    def sentence(self) -> str:
        """The message with its step, as text."""
        return f"{self.node}: {self.message}" if self.node else self.message


@dataclass(frozen=True, slots=True)
class Move:
    """The request that moves all open runs of a workflow to a version."""

    method: str
    path: str
    body: Mapping[str, Json]


RUN_MOVES: Final = Port[Callable[[Workflow, int], Move]]()
"""How the open runs of a workflow are moved to the version of this number."""
