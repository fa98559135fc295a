"""What the engine must know of a step type; `steps` implements it, the engine never imports it."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol

from pydantic import BaseModel

Json = Any
Kind = Literal["inline", "blocking", "external", "engine"]


class StepSpec(Protocol):
    """One step type of the catalogue (DESIGN "The step catalogue")."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def params_model(self) -> type[BaseModel]: ...
    @property
    def lease_seconds(self) -> int: ...
    @property
    def timeout_seconds(self) -> int | None: ...
    @property
    def input_schema(self) -> dict[str, Json] | None:
        """JSON Schema of what the step takes; None where it takes anything."""

    def output_schema(self, params: Mapping[str, Json]) -> dict[str, Json] | None:
        """JSON Schema of what the step gives with these params; None where nothing is known of it."""


Catalogue = Mapping[str, StepSpec]
