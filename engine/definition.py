"""The native dialect: the shape of a definition (DESIGN "A definition"). What it means is checked in `validate`."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from engine.durations import parse_duration
from engine.errors import EngineError
from engine.problems import Problem, shape_problems

Json = Any

NODE_ID = r"^[A-Za-z_][A-Za-z0-9_\-]{0,63}$"
WORKFLOW_NAME = r"^[A-Za-z0-9_:\-]{1,128}$"
QUEUE_NAME = r"^[A-Za-z0-9_.:\-]{1,128}$"
DAY = 86_400
TEN_YEARS = 3_650 * DAY

Name = Annotated[str, Field(pattern=WORKFLOW_NAME)]
Id = Annotated[str, Field(pattern=NODE_ID)]
TypeName = Annotated[str, Field(min_length=1)]
Title = Annotated[str, Field(max_length=200)]
Seconds = Annotated[int, Field(ge=1, le=TEN_YEARS)]


def _duration(text: str) -> str:
    parse_duration(text)
    return text


Duration = Annotated[str, AfterValidator(_duration)]


class Shape(BaseModel):
    """Unknown fields are refused and nothing is converted; null stands for "not given"."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Retry(Shape):
    """A retry policy of its own (R-088); what is not given comes from the default policy."""

    max_retries: int | None = Field(None, ge=0, le=100)
    base_seconds: float | None = Field(None, ge=0, le=DAY, allow_inf_nan=False)
    factor: float | None = Field(None, ge=1, le=100, allow_inf_nan=False)
    max_seconds: float | None = Field(None, ge=0, le=30 * DAY, allow_inf_nan=False)
    jitter: float | None = Field(None, ge=0, le=1, allow_inf_nan=False)
    non_retryable: list[Annotated[str, Field(min_length=1, max_length=100)]] | None = Field(
        None, max_length=100
    )


class NOf(Shape):
    """A join that fires at the k-th taken edge."""

    n_of: int = Field(ge=1)


class BoundaryTimer(Shape):
    """A timer on a waiting or running step; `to` is the edge taken when it fires. One of the two times is given."""

    after_seconds: Seconds | None = None
    duration: Duration | None = None
    interrupting: bool | None = None
    to: str


RetryChoice = Retry | Literal["seed", "minutes", "llm", "none"]


class Compensation(Shape):
    """The step that undoes a completed one."""

    type: TypeName
    title: Title | None = None
    params: dict[str, Json] | None = None
    retry: RetryChoice | None = None
    timeout_seconds: Seconds | None = None
    lease_seconds: int | None = Field(None, ge=1, le=DAY)
    queue: str | None = Field(None, pattern=QUEUE_NAME)


class Node(Shape):
    """One step."""

    id: Id
    type: TypeName
    title: Title | None = None
    params: dict[str, Json] | None = None
    input: dict[str, Json] | str | None = None
    join: Literal["any_taken", "all", "any"] | NOf | None = None
    boundary_timers: list[BoundaryTimer] | None = None
    allow_no_match: bool | None = None
    compensate: Compensation | None = None
    compensate_on_unknown: bool | None = None
    secrets: list[str] | dict[str, str] | None = None
    retry: RetryChoice | None = None
    timeout_seconds: Seconds | None = None
    lease_seconds: int | None = Field(None, ge=1, le=DAY)
    queue: str | None = Field(None, pattern=QUEUE_NAME)
    priority: int | None = Field(None, ge=-1000, le=1000)
    on_error: Literal["fail", "continue", "branch"] | None = None


class Edge(Shape):
    """One edge; at most one of branch, when, default and on says when it is taken."""

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    branch: str | None = Field(None, min_length=1)
    when: str | None = None
    default: bool | None = None
    on: Literal["error"] | None = None

    @property
    def conditions(self) -> list[str]:
        """Which of the four are used."""
        given = {"branch": self.branch, "when": self.when, "default": self.default, "on": self.on}
        return [name for name, value in given.items() if value]

    @property
    def is_conditional(self) -> bool:
        """Whether it may be dead although its source completed."""
        return bool(self.conditions)


class Definition(Shape):
    """A whole workflow."""

    name: Name
    nodes: list[Node] = Field(min_length=1)
    edges: list[Edge] | None = None
    title: Title | None = None
    description: Annotated[str, Field(max_length=10_000)] | None = None
    metadata: Json = None
    input_schema: dict[str, Json] | None = None
    sla_seconds: Seconds | None = None
    business_key: str | None = None
    output: Json = None
    next_workflow: Name | None = None


class DefinitionInvalid(EngineError):
    """The document has not the shape of a definition; `problems` says where."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(problems[0].message if problems else "the document is no definition")
        self.problems = problems


def parse_definition(document: object) -> Definition:
    """The document as a typed definition. Raises DefinitionInvalid with every problem of its shape."""
    try:
        return Definition.model_validate(document)
    except ValidationError as failure:
        raise DefinitionInvalid(list(shape_problems(failure, document, ""))) from failure
