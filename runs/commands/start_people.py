"""The people that inputs of new runs name: active members of the tenant, each."""

from collections.abc import Collection, Sequence

from accounts.picking import strangers
from lib.forms.fields import FormField
from lib.forms.people import not_a_member, people_in
from runs.kernel.refused import RunRefused


def people_refusals(tenant: int, items: Sequence[Sequence[FormField]]) -> list[RunRefused | None]:
    """Why items with these fields can't start: of each the first that names nobody; None where all name members."""
    names = [people_in(fields) for fields in items]
    unknown = strangers(tenant, [username for fields in names for _, username in fields])
    return [_refusal(fields, unknown, place, len(items)) for place, fields in enumerate(names)]


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
