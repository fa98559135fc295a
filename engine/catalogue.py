"""What the engine must know of a step type; `steps` implements it, the engine never imports it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol

from pydantic import BaseModel

Json = Any
"""A value of JSON. Not spelled out as a type: whoever reads one asks what it is, or a schema has done so before."""

Kind = Literal["inline", "blocking", "external", "engine", "wait"]


BODY: Final = "body"
"""The param of a container that says what is done for each of its children."""

OnError = Literal["fail", "continue", "branch"]
Keys = tuple[str | int, ...]
"""A place within a value: the keys of objects and the places in lists that lead there."""


class Finding(NamedTuple):
    """What a step type finds wrong with params that have the right shape.

    `path`: where in them, such as `rows[2][0]`. `message`: a sentence; of `bad_params` what follows the place.
    """

    code: Literal[
        "bad_params",
        "gap_in_rows",
        "rows_overlap",
        "row_never_reached",
        "table_test_failed",
        "rows_not_checked",
    ]
    severity: Literal["error", "warning"]
    path: str
    message: str


class StepSpec(Protocol):
    """One step type of the catalogue."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def params_model(self) -> type[BaseModel]: ...
    @property
    def lease_seconds(self) -> int: ...
    @property
    def timeout_seconds(self) -> int | None: ...
    @property
    def retry(self) -> str:
        """The retry preset of a node that names none."""

    @property
    def on_error(self) -> OnError:
        """What a failure of a node means that doesn't say so itself."""

    @property
    def default_queue(self) -> str | None:
        """The queue of a node that names none; None: the node's own id."""

    @property
    def input_schema(self) -> dict[str, Json] | None:
        """JSON Schema of what the step takes; None where it takes anything."""

    @property
    def decides(self) -> bool:
        """Whether the edges after it decide: the first that holds is taken, and no other."""

    @property
    def gives_input(self) -> bool:
        """Whether what it gives is its input, unchanged."""

    @property
    def parts(self) -> bool:
        """Whether it is there to part a run into paths that meet again."""

    @property
    def fails(self) -> bool:
        """Whether it always fails: nothing is its output, and only its error edges are ever taken."""

    @property
    def ends_run(self) -> bool:
        """Whether the run is over when it completes: what is open elsewhere then is cancelled."""

    @property
    def asks_people(self) -> bool:
        """Whether it waits until people have decided."""

    @property
    def begins_run(self) -> bool:
        """Whether it waits for a run of its own."""

    @property
    def takes_signals(self) -> bool:
        """Whether it waits for a signal."""

    @property
    def time_limit(self) -> str:
        """What of its own limits how long it waits, in words; empty: nothing."""

    @property
    def markdown(self) -> Collection[str]:
        """Which of its params are Markdown, in which values of others mark nothing up."""

    def with_params(self, params: Mapping[str, Json]) -> "StepSpec":
        """The type as these params make it, rendered or not: some decide what the step waits for."""

    def defaults_by(self, rules: int) -> Mapping[str, Json]:
        """The params that had another default by the rules of a version (`engine.ports.RULES`), with that one."""

    def output_schema(self, params: Mapping[str, Json]) -> dict[str, Json] | None:
        """JSON Schema of what the step gives with these params; None where nothing is known of it."""

    @property
    def has_children(self) -> bool:
        """Whether it is a container: a step that has others done, for its items or in rounds."""

    @property
    def conditions(self) -> frozenset[str]:
        """Which of its params are conditions: expressions as they stand, which are asked after each round."""

    def plain_expressions(self, params: Mapping[str, Json]) -> Iterable[Keys]:
        """The places in params, of whatever quality, whose texts are expressions without braces (`engine.plain`)."""

    def findings(self, params: Mapping[str, Json]) -> Iterable[Finding]:
        """What is wrong with params, not yet rendered, beyond what their model says. Bounded work; never raises."""

    def body(self, params: Mapping[str, Json]) -> Mapping[str, Json] | None:
        """Of a container what is done for each child (`engine.bodies`); None of any other type.

        It is in the params of that name: what expressions of it see is known with each child only.
        """

    def collect(self, results: Sequence[Json]) -> Json:
        """What a container gives, from what its children gave in their order. Raises StepError."""

    def evaluate(self, params: Mapping[str, Json], value: Json) -> Json:
        """What the step makes of `value`, for the kind `engine`: pure and fast, fit to be kept. Raises StepError."""

    def admit(self, value: Json) -> None:
        """Let pass what was put together to be the step's input. Raises StepError if it can't be kept."""


Catalogue = Mapping[str, StepSpec]
