"""What a step type is, and how one is executed: params, input and output are checked around its `run`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from engine.catalogue import BODY, Finding, Json, Keys, Kind, OnError
from engine.errors import StepError
from engine.typed_texts import TypedParams
from lib.forms.hints import with_hints
from lib.strict_json import BadJson, strict_dumps
from steps.attempt_log import AttemptLog
from steps.files import Files, NoFiles
from steps.limits import MAX_INPUT_BYTES, MAX_OUTPUT_BYTES
from steps.problems import sentence_of

SchemaMode = Literal["validation", "serialization"]
QUEUE_OF_KIND: Mapping[Kind, str | None] = {
    "inline": "default",
    "blocking": "blocking",
    "engine": "engine",
    "wait": "engine",
    "external": None,
}


def _whole(value: object) -> object:
    """CEL gives 3.0 where a person reads 3: a whole double counts as an integer, as in JSON Schema."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WholeNumber = Annotated[int, BeforeValidator(_whole)]


def not_blank(text: str) -> str:
    """Let pass a text with something in it: a validator of params."""
    if not text.strip():
        raise PydanticCustomError("blank", "is empty")
    return text


class Params(BaseModel):
    """What a step type's params derive from: unknown ones are refused, and nothing is converted silently."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class NoParams(Params):
    """Of a step type that takes no params."""


def widget(name: str, *, instead_of: str | None = None) -> JsonDict:
    """What a param's field says of its form where its schema doesn't tell (`lib.forms.hints`).

    `instead_of`: another param that says the same in another way; a form shows one of the two.
    """
    hints: JsonDict = {"x-widget": name}
    return hints | {"x-instead-of": instead_of} if instead_of else hints


@dataclass(frozen=True, slots=True)
class StepContext:
    """What `run` gets; `input` is an instance of the type's input model, or the JSON itself without one."""

    params: Any
    input: Json
    run_id: str
    node: str
    attempt: int
    idempotency_key: str
    usage: dict[str, Json] = field(default_factory=dict)
    """What the attempt has used up, such as tokens: `run` writes it here, history keeps it."""
    lines: AttemptLog = field(default_factory=AttemptLog)
    """What the attempt has said: `log` writes it."""
    typed: TypedParams | None = None
    """Of a step that asks people: the types of the values that its params read."""
    files: Files = field(default_factory=NoFiles)
    """The files that the run may read."""

    def log(self, text: object, level: str = "info") -> None:
        """Say a line for people who look at the run; `level`: `info`, `warning` or `error`. Raises ValueError.

        Kept are 200 lines per attempt and 2,000 characters per line; what has the name of a secret is masked.
        """
        self.lines.add(text, level)


def passes_on(context: StepContext) -> Json:
    """What a step gives that only leads on: its input, unchanged."""
    return context.input


@dataclass(frozen=True, slots=True, kw_only=True)
class StepType:
    """One entry of the catalogue: the params, schemas, face in the builder and work of a step type.

    `example` is `{"params", "input"}` that work. `output_schema_of`: where the output depends on the params;
    `variant`: where kind, times, retries and side effects do. What `run` of the kind `wait` gives is not the step's
    output but what it waits for (`steps.waiting`).
    """

    name: str
    kind: Kind
    title: str
    help: str
    icon: str
    group: str
    example: Mapping[str, Json]
    run: Callable[[StepContext], Json]
    keywords: str = ""
    """Other words by which people search for it, separated by spaces, such as `timer sleep`."""
    params_model: type[BaseModel] = NoParams
    input_model: type[BaseModel] | None = None
    output_model: type[BaseModel] | None = None
    output_schema_of: Callable[[Mapping[str, Json]], dict[str, Json] | None] | None = None
    lease_seconds: int = 30
    timeout_seconds: int | None = 600
    retry: str = "seed"
    on_error: OnError = "fail"
    variant: Callable[["StepType", Mapping[str, Json]], "StepType"] | None = None
    markdown: frozenset[str] = frozenset()
    """Which params are Markdown: what expressions within them give is shown as it is."""
    has_side_effects: bool = False
    """Whether an attempt changes something outside, reaches people or costs money: a test run leaves it out."""
    needs: Literal["mail", "model"] | None = None
    """The service that an operator must set up for it: a mail server, or a language model."""
    notice_of: Callable[[Json], str | None] | None = None
    """What pages say of a step that completed with this output, where its status alone would mislead."""
    decides: bool = False
    """Whether the edges after it decide: the first that holds is taken, and no other."""
    gives_input: bool = False
    """Whether what it gives is its input, unchanged: what is known of the one is known of the other."""
    rewrites_text: bool = False
    """Whether the `text` it gives is that of its input in other words: pages show the two beside each other."""
    parts: bool = False
    """Whether it is there to part a run into paths that meet again: `validate` warns if they don't."""
    fails: bool = False
    """Whether it always fails: nothing is its output, and only its error edges are ever taken."""
    ends_run: bool = False
    """Whether the run is over when it completes, whatever goes on elsewhere: what is open then is cancelled."""
    asks_people: bool = False
    """Whether it waits until people have decided: its params say whom it asks, and of the kind `wait` it is."""
    starter_decides: bool = False
    """Whether who started the run may decide it where it names them, whatever their role."""
    begins_run: bool = False
    """Whether it waits for a run of its own, of the workflow that its param `workflow` names."""
    takes_signals: bool = False
    """Whether it waits for a signal."""
    keeps_calendar: bool = False
    """Whether its param `calendar` names a working calendar that it keeps to."""
    time_limit: str = ""
    """What of its own limits how long it waits, in words such as `the param due_seconds`."""
    collects: Callable[[Sequence[Json]], Json] | None = None
    """Of a container: what it gives, from what its children gave; its `run` says which (`steps.waiting`)."""
    old_defaults: Mapping[int, Mapping[str, Json]] = field(default_factory=dict)
    """The defaults that params had before, by the rules that brought others: versions published before keep them."""
    conditions: frozenset[str] = frozenset()
    """Of a loop: which of its params are conditions, asked after each round."""
    plain_expressions_of: Callable[[Mapping[str, Json]], Iterable[Keys]] | None = None
    """Where params have expressions without braces."""
    findings_of: Callable[[Mapping[str, Json]], Iterable[Finding]] | None = None
    """What `validate` says of params beyond what their model says: bounded work, and nothing is raised."""
    takes_nothing: bool = field(init=False)

    def __post_init__(self) -> None:
        """Raises ValueError for a type that computes without an end: nobody could tell it from one that hangs."""
        if self.timeout_seconds is None and self.kind in ("inline", "blocking"):
            raise ValueError(f"{self.name}: a step of the kind {self.kind} needs timeout_seconds.")
        unchecked = self.input_model is None and self.output_model is None
        object.__setattr__(self, "takes_nothing", unchecked and self.params_model is NoParams)

    @property
    def default_queue(self) -> str | None:
        """The queue of a node that names none; None: the node's own id (docs/definitions.md, "A node")."""
        return QUEUE_OF_KIND[self.kind]

    def with_params(self, params: Mapping[str, Json]) -> "StepType":
        """The type as these params make it, rendered or not."""
        return self if self.variant is None else self.variant(self, params)

    def defaults_by(self, rules: int) -> Mapping[str, Json]:
        """The params that had another default by the rules of a version, with that one."""
        return {
            key: value
            for since, old in self.old_defaults.items()
            if rules < since
            for key, value in old.items()
        }

    @property
    def waits(self) -> bool:
        """Whether a run waits here for a time, a signal, a person or somebody else's worker."""
        return self.kind in ("wait", "external")

    def side_effects(self, params: Mapping[str, Json]) -> bool:
        """Whether a step with these params, rendered or not, has side effects."""
        return self.with_params(params).has_side_effects

    def notice(self, output: Json) -> str | None:
        """What pages say of a completed step beside its status."""
        return None if self.notice_of is None else self.notice_of(output)

    @property
    def has_children(self) -> bool:
        """Whether it is a container: a step that has others done, for its items or in rounds."""
        return self.collects is not None

    @property
    def params_schema(self) -> dict[str, Json]:
        """JSON Schema of the params, for the builder's form and for `validate`."""
        return _schema(self.params_model, "validation")

    @property
    def input_schema(self) -> dict[str, Json] | None:
        """JSON Schema of what the step takes; None where it takes anything (R-014)."""
        return _schema(self.input_model, "validation") if self.input_model else None

    def output_schema(self, params: Mapping[str, Json]) -> dict[str, Json] | None:
        """JSON Schema of what the step gives with these params, rendered or not; None: not known (R-014)."""
        if self.output_schema_of is not None:
            return self.output_schema_of(params)
        return _schema(self.output_model, "serialization") if self.output_model else None

    def plain_expressions(self, params: Mapping[str, Json]) -> Iterable[Keys]:
        """The places in params, of whatever quality, whose texts are expressions without braces."""
        return () if self.plain_expressions_of is None else self.plain_expressions_of(params)

    def findings(self, params: Mapping[str, Json]) -> Iterable[Finding]:
        """What is wrong with params, not yet rendered, beyond what their model says."""
        return () if self.findings_of is None else self.findings_of(params)

    def body(self, params: Mapping[str, Json]) -> Mapping[str, Json] | None:
        """Of a container what is done for each child; None of any other type, and where nothing is said of it."""
        if self.collects is None:
            return None
        body, workflow = params.get(BODY), params.get("workflow")
        return {"workflow": workflow} if body is None and workflow is not None else body

    def collect(self, results: Sequence[Json]) -> Json:
        """What a container gives, from what its children gave in their order. Raises StepError."""
        if self.collects is None:
            raise TypeError(f"{self.name} has no children.")
        output = self.collects(results)
        storable(output, "output", code="BadOutput", max_bytes=MAX_OUTPUT_BYTES)
        return output

    def evaluate(self, params: Mapping[str, Json], value: Json) -> Json:
        """What the step makes of `value`, for the engine's own kinds, which no worker executes.

        `params` are rendered. Pure and fast: it runs inside the advance transaction. Raises StepError and nothing
        else: a bug in a step type must not take the batch with it, and neither must an output that can't be stored.
        """
        try:
            output = execute(self, params, value, run_id="", node="", attempt=1, idempotency_key="")
            if output is not value:
                storable(output, "output", code="BadOutput", max_bytes=MAX_OUTPUT_BYTES)
            return output
        except StepError:
            raise
        except Exception as error:
            raise StepError("InternalError", f"{type(error).__name__}: {error}"[:2000]) from error

    def admit(self, value: Json) -> None:
        """Let pass what was put together to be the step's input. Raises StepError (BadInput) if it can't be stored."""
        storable(value, "input", code="BadInput", max_bytes=MAX_INPUT_BYTES)


def storable(value: object, what: str, *, code: str, max_bytes: int) -> bytes:
    """The strict JSON of a step's input or output (`what`). Raises StepError with `code` where there is none."""
    try:
        return strict_dumps(value, max_bytes=max_bytes)
    except BadJson as error:
        place = f" at {error.pointer}" if error.pointer else ""
        message = f"The {what} can't be stored: {error.message}{place}."
        raise StepError(code, message, details={"field": what}) from None


@cache
def _schema(model: type[BaseModel], mode: SchemaMode) -> dict[str, Json]:
    return with_hints(model.model_json_schema(mode=mode))


def execute(
    step_type: StepType,
    params: Mapping[str, Json],
    value: Json,
    *,
    run_id: str,
    node: str,
    attempt: int,
    idempotency_key: str,
    usage: dict[str, Json] | None = None,
    lines: AttemptLog | None = None,
    typed: TypedParams | None = None,
    files: Files | None = None,
) -> Json:
    """One attempt of a step: its output, or StepError.

    `params` are rendered, `typed` has the types of what they read; what the attempt used up is written into `usage`,
    what it says into `lines`; it may read `files`. BadParams, BadInput and BadOutput name the field, no retries (R-014,
    R-252).
    """
    if step_type.takes_nothing and not params:
        # Chains of noop run 10,000 times a second and more: they pay for no validation.
        return step_type.run(
            StepContext(params, value, run_id, node, attempt, idempotency_key, {}, lines or AttemptLog())
        )
    checked = _checked(step_type.params_model, params, "BadParams", "params")
    checked_input = (
        _checked(step_type.input_model, value, "BadInput", "input") if step_type.input_model else value
    )
    usage_so_far = {} if usage is None else usage
    log = lines or AttemptLog({"params": params, "input": value})
    output = step_type.run(
        StepContext(
            checked,
            checked_input,
            run_id,
            node,
            attempt,
            idempotency_key,
            usage_so_far,
            log,
            typed,
            files or NoFiles(),
        )
    )
    if step_type.output_model is not None and step_type.kind != "wait":
        _checked(step_type.output_model, output, "BadOutput", "output")
    return output


def _checked(model: type[BaseModel], value: object, code: str, where: str) -> BaseModel:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        path, message = sentence_of(error, where)
        raise StepError(code, message, details={"field": path}) from error
