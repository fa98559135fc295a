"""How a run went, as `reference` plays it out by hand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = Any

QUEUED, RUNNING, WAITING, COMPLETED = "QUEUED", "RUNNING", "WAITING", "COMPLETED"
FAILING, FAILED, SKIPPED, CANCELLING, CANCELLED = "FAILING", "FAILED", "SKIPPED", "CANCELLING", "CANCELLED"


class Broken(Exception):
    """A step can't do its work; the argument is its error."""


@dataclass
class Step:
    """One decided node. `output` is what steps behind it see, `error` why it failed.

    `interrupted`: a boundary timer ended it. `rung`: what the edges carry that timers took while it went on.
    `at`: with which outcome of the run it ended. `lost`: nobody knows what its worker did.
    """

    status: str
    given: Json = None
    output: Json = None
    error: Json = None
    interrupted: bool = False
    rung: dict[str, Json] = field(default_factory=dict)
    at: int = 0
    lost: bool = False


@dataclass
class Final:
    """How a run ended; a node that was never decided is not among `steps`, an open link not among `links`.

    `tied`: nothing says which came first of more links than a join takes, or of two that set the same variable.
    """

    status: str = RUNNING
    output: Json = None
    culprit: str | None = None
    tied: bool = False
    steps: dict[str, Step] = field(default_factory=dict)
    variables: dict[str, Json] = field(default_factory=dict)
    links: dict[tuple[str, str], bool] = field(default_factory=dict)


def evaluate(expression: str, scope: Mapping[str, Json]) -> Json:
    """`path` or `path operator literal`, where a path is names with dots between. Raises Broken."""
    path, *rest = expression.split(" ")
    found = scope
    for name in path.split("."):
        if not isinstance(found, Mapping) or name not in found:
            raise Broken({"code": "ExpressionError"})
        found = found[name]
    if not rest:
        return found
    operator, literal = rest
    known = {"true": True, "false": False}
    other = literal.strip('"') if literal.startswith('"') else known.get(literal)
    other = int(literal) if other is None else other
    if operator == "==":
        return found == other
    if type(found) is not int:
        raise Broken({"code": "ExpressionError"})
    return found > other if operator == ">" else found < other
