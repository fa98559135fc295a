"""A workflow's name in a URL; anything else is no route."""


class WorkflowName:
    """`<workflow_name:name>`."""

    regex = r"[A-Za-z0-9_:\-]{1,128}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value
