"""Ids of rochallor in URLs: any text will do there, and what is none of ours names nothing."""

from uuid import UUID

from django.urls import register_converter

from runs.api.run_ids import run_named

NONE = UUID(int=0)


class InstanceId:
    """`<rochallor_instance:run_id>`: the id of a run, or of none."""

    regex = r"[^/]{1,200}"

    def to_python(self, value: str) -> UUID:
        try:
            return run_named(value) or UUID(value)
        except ValueError:
            return NONE

    def to_url(self, value: UUID | str) -> str:
        return str(value)


class DefinitionId:
    """`<rochallor_definition:name>`: the id of a definition."""

    regex = r"[^/\x00]{1,256}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(InstanceId, "rochallor_instance")
register_converter(DefinitionId, "rochallor_definition")
