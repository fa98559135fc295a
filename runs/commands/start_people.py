"""The people that inputs of new runs name: active members of the tenant, each."""

from collections.abc import Collection, Sequence

from accounts.picking import strangers
from lib.forms.people import not_a_member, people_in
from lib.forms.schema_forms import SchemaForms
from lib.json import Json
from runs.kernel.graphs import Compiled
from runs.kernel.refused import RunRefused
from steps.schema import fits

_FORMS = SchemaForms(fits, "input")


def people_refusals(tenant: int, version: Compiled, inputs: Sequence[Json]) -> list[RunRefused | None]:
    """Why each input can't start a run: the first field that names nobody; None where all fields name members."""
    schema = version.graph.input_schema
    if not version.takes_people or schema is None:
        return [None] * len(inputs)
    names = [people_in(_FORMS.filled(schema, value).each()) for value in inputs]
    unknown = strangers(tenant, [username for fields in names for _, username in fields])
    return [_refusal(fields, unknown, place, len(inputs)) for place, fields in enumerate(names)]


def _refusal(
    fields: Sequence[tuple[str, str]], unknown: Collection[str], place: int, count: int
) -> RunRefused | None:
    where = f"items[{place}]." if count > 1 else ""
    refusals = (
        RunRefused("not_a_member", not_a_member(name), field=f"{where}{field}")
        for field, name in fields
        if name in unknown
    )
    return next(refusals, None)
