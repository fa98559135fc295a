"""What is open with a member, for who manages members; told to `accounts`."""

from django.urls import reverse
from django.utils.http import urlencode

from accounts.ports import OpenWith
from accounts.principal import Principal
from runs.reading.requests import own_runs
from tasks_inbox.eligibility.identity import who_is
from tasks_inbox.forms.texts import title_of
from tasks_inbox.models import OPEN, ManualTask
from tasks_inbox.reading.listing import waiting_for
from tasks_inbox.reading.sources import MENU_COUNTED as COUNTED

FIRST = 5


def open_with(member: Principal) -> list[OpenWith]:
    """The tasks that they have, those that wait for them or others whom they ask, and the requests that they made."""
    rows = ManualTask.objects.for_tenant(member.tenant_id).filter(status=OPEN, assignee=member.username)
    tasks = list(rows.order_by("due", "id").only("title", "title_parts")[:COUNTED])
    requests = own_runs(member, "open").values("pk")[:COUNTED].count()
    in_runs = f"{reverse('runs')}?{urlencode({'status': 'open', 'by': member.username})}"
    return [
        OpenWith(
            len(tasks),
            COUNTED,
            "Tasks they have",
            first=[(title_of(task), reverse("task", args=[task.pk])) for task in tasks[:FIRST]],
        ),
        OpenWith(min(waiting_for(who_is(member)), COUNTED), COUNTED, "Tasks that wait for them or others"),
        OpenWith(requests, COUNTED, "Their requests in progress", in_runs),
    ]
