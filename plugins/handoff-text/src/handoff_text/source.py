"""What every text step takes and gives."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, field_validator, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from handoff.steps import kind_of

MAX_BYTES = 1024 * 1024
LLM_TITLE = "Use a language model"
LLM_HELP = "Let a language model do this step. An admin has to set one up first."


class TextInput(BaseModel):
    """`{text}`, also with other keys, which are not read, or the bare text."""

    model_config = ConfigDict(extra="ignore", strict=True)

    text: str = Field(min_length=1, max_length=MAX_BYTES, title="Text")

    @model_validator(mode="before")
    @classmethod
    def _as_object(cls, value: object) -> object:
        return value if isinstance(value, dict) else {"text": value}

    @field_validator("text", mode="before")
    @classmethod
    def _proper(cls, text: object) -> object:
        if not isinstance(text, str):
            raise PydanticCustomError("no_text", "must be a text, but is {kind}", {"kind": kind_of(text)})
        if not text.strip():
            raise PydanticCustomError("empty_text", "is empty")
        try:
            size = len(text.encode())
        except UnicodeEncodeError as error:
            raise PydanticCustomError(
                "broken_text", "holds half a character (a lone surrogate), which is not valid Unicode"
            ) from error
        if size > MAX_BYTES:
            raise PydanticCustomError(
                "long_text",
                "is {size} bytes long; at most {limit} (1 MiB) are allowed",
                {"size": f"{size:,}", "limit": f"{MAX_BYTES:,}"},
            )
        return text

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Both spellings, so that a check before publishing lets both pass (R-014)."""
        as_object: dict[str, Any] = handler.resolve_ref_schema(handler(core_schema))
        return {"title": "Text", "anyOf": [as_object["properties"]["text"], as_object]}


class TextOutput(BaseModel):
    """What text steps give: closed, so that what the next step can rely on is known."""

    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
