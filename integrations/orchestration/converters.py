"""The id of an execution in a URL, as `execution`; anything else is no route."""

from uuid import UUID

from django.urls import register_converter

from integrations.orchestration import ids


class Execution:
    """`<execution:run_id>`: a prefixed id or a bare one. It is the run's, so who may reach it is asked as of a run."""

    regex = r"[^/]{1,64}"

    def to_python(self, value: str) -> UUID:
        """Raises ValueError for what names no run."""
        run = ids.run_named(value)
        if run is None:
            raise ValueError(value)
        return run

    def to_url(self, value: UUID | str) -> str:
        """As the routes show it."""
        return ids.shown_run(value)


register_converter(Execution, "execution")
