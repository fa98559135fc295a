"""A workflow's name in a URL, as `workflow_name`; anything else is no route."""

from django.urls import register_converter


class WorkflowName:
    """`<workflow_name:name>`."""

    regex = r"[A-Za-z0-9_:\-]{1,256}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(WorkflowName, "workflow_name")
