"""A few step types for tests of definitions: what the engine sees of a catalogue, without `steps`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from engine.catalogue import Finding, Json, Keys
from steps.decision_table.step import DECISION_TABLE
from steps.map import MAP


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


class Nothing(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Summarize(Nothing):
    sentences: int = Field(3, ge=1, le=100)
    llm: bool = False


class Http(Nothing):
    method: str
    url: str = Field(pattern="^https?://")
    json_body: Json = Field(None, alias="json")


TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TEXT_OR_STRING = {"anyOf": [{"$ref": "#/$defs/Text"}, {"type": "string"}], "$defs": {"Text": TEXT}}


@dataclass(frozen=True)
class Spec:
    name: str
    kind: str = "inline"
    params_model: type[BaseModel] = Nothing
    markdown: frozenset[str] = frozenset()
    lease_seconds: int = 30
    timeout_seconds: int | None = 600
    input_schema: dict[str, Json] | None = None
    gives: dict[str, Json] | None = None
    retry: str = "seed"
    on_error: str = "fail"
    decides: bool = False
    gives_input: bool = False
    asks_people: bool = False
    fails: bool = False
    parts: bool = False
    takes_signals: bool = False
    time_limit: str = ""
    begins_run: bool = False
    has_children: bool = False
    conditions: frozenset[str] = frozenset()
    default_queue: str | None = field(init=False)

    @property
    def title(self) -> str:
        return self.name

    def __post_init__(self) -> None:
        queues = {"inline": "default", "blocking": "blocking", "engine": "engine", "external": None}
        object.__setattr__(self, "default_queue", queues[self.kind])

    def with_params(self, params: Mapping[str, Json]) -> "Spec":
        return self

    def output_schema(self, params: Mapping[str, Json]) -> dict[str, Json] | None:
        return self.gives

    def plain_expressions(self, params: Mapping[str, Json]) -> Iterable[Keys]:
        return ()

    def findings(self, params: Mapping[str, Json]) -> Iterable[Finding]:
        return ()

    def body(self, params: Mapping[str, Json]) -> Mapping[str, Json] | None:
        return None

    def evaluate(self, params: Mapping[str, Json], given: Json) -> Json:
        return given

    def admit(self, given: Json) -> None:
        pass


HTTP_OUTPUT = {
    "type": "object",
    "properties": {"status": {"type": "integer"}, "headers": {"type": "object"}, "body": {}},
    "required": ["status", "headers", "body"],
    "additionalProperties": False,
}
NUMBER_OUTPUT = {"type": "object", "properties": {"text": {"type": "integer"}}, "required": ["text"]}

CATALOGUE = {
    spec.name: spec
    for spec in (
        Spec("noop", gives_input=True),
        Spec("parallel", kind="engine", gives_input=True, parts=True),
        Spec("free", params_model=Anything),
        Spec("text.clean", input_schema=TEXT_OR_STRING, gives={**TEXT, "additionalProperties": False}),
        Spec("text.summarize", params_model=Summarize, input_schema=TEXT_OR_STRING, gives=TEXT),
        Spec("http.request", kind="blocking", params_model=Http, gives=HTTP_OUTPUT),
        Spec("count", gives=NUMBER_OUTPUT),
        Spec("decision", kind="engine", decides=True, gives_input=True),
        Spec("transform", kind="engine", params_model=Anything),
        Spec("job", kind="external", params_model=Anything, timeout_seconds=None),
        Spec(
            "human.approval",
            kind="engine",
            params_model=Anything,
            timeout_seconds=None,
            asks_people=True,
            gives={"type": "object", "properties": {"branch": {"enum": ["approved", "rejected"]}}},
        ),
    )
}


EXTENDED = {**CATALOGUE, DECISION_TABLE.name: DECISION_TABLE, MAP.name: MAP}


def node(name: str, kind: str = "noop", **fields: Json) -> dict[str, Json]:
    """A node."""
    return {"id": name, "type": kind, **fields}


def edge(source: str, target: str, **fields: Json) -> dict[str, Json]:
    """An edge."""
    return {"from": source, "to": target, **fields}


def definition(nodes: list[Json], edges: list[Json] | None = None, **fields: Json) -> dict[str, Json]:
    """A definition named `sample`."""
    return {"name": "sample", "nodes": nodes, "edges": edges or [], **fields}
