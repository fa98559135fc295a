"""What the graph of a run is drawn from: the definition of its version, as it was laid out."""

from functools import lru_cache

from engine.catalogue import Json
from workflows.design.picture import picture
from workflows.models import WorkflowVersion


@lru_cache(maxsize=100)
def picture_of(tenant: int, version_id: int) -> dict[str, Json] | None:
    """Steps, ways, places and faces of a version, which never changes; None where it can't be drawn."""
    versions = WorkflowVersion.with_tests.for_tenant(tenant).filter(pk=version_id)
    row = versions.values_list("definition", "layout").first()
    return None if row is None else picture(*row)
