"""The tasks that the palette finds; told to `runs`."""

from collections.abc import Iterator

from django.urls import reverse

from accounts.principal import Principal
from accounts.roles import TASKS_READ
from lib.search_grammar import quoted
from lib.visible import visible
from runs.ports import Find
from tasks_inbox.eligibility.identity import who_is
from tasks_inbox.forms.texts import title_of
from tasks_inbox.models import OPEN
from tasks_inbox.reading import listing
from tasks_inbox.reading.sources import parts_of, tasks_by_id

FEW = 5


def find(principal: Principal, text: str) -> Iterator[Find]:
    """Tasks that they may see, by their titles or how the business keys of their runs begin; open ones first."""
    if TASKS_READ not in principal.scopes:
        return
    who = who_is(principal)
    ids = dict.fromkeys(
        pk
        for rows in listing.found(who, parts_of(who), quoted(text, always=True))
        for pk in rows.order_by("-id").values_list("pk", flat=True)[: FEW * 4]
    )
    tasks = tasks_by_id(principal.tenant_id, list(ids))
    for task in sorted(tasks, key=lambda one: (one.status == OPEN, one.pk), reverse=True)[:FEW]:
        about = "Task" if task.status == OPEN else "Task, decided"
        yield {"name": visible(title_of(task)), "about": about, "url": reverse("task", args=[task.pk])}
