"""The people that forms of tasks name: active members of the tenant, each; offered and shown by name."""

from collections.abc import Iterable

from accounts import people
from accounts.picking import Members, strangers
from engine.catalogue import Json
from lib.forms.fields import FormField
from lib.forms.people import not_a_member, offer_people, people_in
from tasks_inbox.forms.form import filled
from tasks_inbox.models import ManualTask


def people_faults(task: ManualTask, data: Json) -> list[tuple[str, str, str]]:
    """What is wrong with the people that the data of a task's form names: field, code, sentence."""
    names = people_in(filled(task.form, data).each())
    unknown = strangers(task.tenant_id, [username for _, username in names])
    return [(place, "not_a_member", not_a_member(name)) for place, name in names if name in unknown]


def name_people(task: ManualTask, fields: Iterable[FormField]) -> None:
    """Offer members in the fields for people, and learn the names of those who stand in them."""
    own = [field for field in fields if field.kind == "person"]
    if own:
        offer_people(own, Members(task.tenant_id))
        people.learn(task.tenant_id, [field.text for field in own])
