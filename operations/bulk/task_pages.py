"""All tasks that match a search of the inbox: what is to be done with them, then a job that only looks first."""

from collections.abc import Mapping
from datetime import timedelta

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.roles import TASKS_ASSIGN, TASKS_DECIDE
from engine.catalogue import Json
from lib.clock import now_here
from lib.counts import up_to
from lib.refusals import Invalid, Missing
from operations.bulk import web
from operations.bulk.tasks import begin_tasks
from tasks_inbox.actions import bulk_items
from tasks_inbox.actions.bulk import ASSIGN, CLAIM, DECIDE, SNOOZE, BulkCommand, outcomes_of
from tasks_inbox.limits import ASSIGNEE_CHARACTERS, DECISION_COMMENT_CHARACTERS
from tasks_inbox.reading.sources import COUNTED
from tasks_inbox.web.panes import SNOOZES, Place
from workflows.access import may_anywhere

_OUTCOME = "outcome:"


class TasksForm(forms.Form):
    """What is to be done with all tasks that match."""

    verb = forms.CharField(max_length=100, error_messages={"required": "Choose what to do."})
    hours = forms.ChoiceField(choices=SNOOZES, required=False)
    assignee = forms.CharField(required=False, max_length=ASSIGNEE_CHARACTERS)
    comment = forms.CharField(required=False, max_length=DECISION_COMMENT_CHARACTERS)

    def command(self) -> BulkCommand:
        """What was asked for."""
        verb, values = self.cleaned_data["verb"], self.cleaned_data
        if verb.startswith(_OUTCOME):
            return BulkCommand(DECIDE, outcome=verb.removeprefix(_OUTCOME), comment=values["comment"])
        if verb == SNOOZE:
            return BulkCommand(SNOOZE, until=now_here() + timedelta(hours=int(values["hours"] or "1")))
        return BulkCommand(verb, assignee=values["assignee"] if verb == ASSIGN else "")


@page(TASKS_DECIDE, "GET", "POST")
def matching(request: PageRequest) -> HttpResponse:
    """Asks what to do with all tasks of the list in which somebody stands, and finds out for which it is possible."""
    place = Place.of(request)
    form = TasksForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            command = form.command()
            job = begin_tasks(
                request.principal, command, place.text, view=_view(place), run=place.run, dry_run=True
            )
            return web.to_job(job)
        except (Invalid, Missing) as refusal:
            field = getattr(refusal, "field", None)
            form.add_error(field if field in form.fields else "verb", refusal.message)
    context = _context(request, place, form.data) | {"form": form}
    return render(request, "bulk/tasks.html", context, status=422 if form.is_bound else 200)


def _view(place: Place) -> Json:
    return None if place.run else place.view or "teams"


def _context(request: PageRequest, place: Place, data: Mapping[str, Json]) -> dict[str, Json]:
    who = request.principal
    context: dict[str, Json] = {"address": request.get_full_path(), "text": place.text, "snoozes": SNOOZES}
    context |= {"back": f"{reverse('inbox')}?{place.address(cursor=False)}", "chosen": data.get("verb", "")}
    context |= {
        "may_assign": may_anywhere(who, TASKS_ASSIGN),
        "assign": ASSIGN,
        "claim": CLAIM,
        "snooze": SNOOZE,
    }
    try:
        pairs = bulk_items.found_tasks(who, _view(place), place.text, place.run, COUNTED)
    except Invalid as fault:
        return context | {"fault": fault.message}
    one = bulk_items.one_of_type(who.tenant_id, [task for _, task in pairs])
    outcomes = outcomes_of(one) if one else []
    context["outcomes"] = [choice | {"value": _OUTCOME + choice["name"]} for choice in outcomes]
    needs_comment = [choice["label"] for choice in outcomes if choice["require_comment"]]
    context["comment_help"] = "The same for all decisions." + "".join(
        f" Required for: {label}." for label in needs_comment
    )
    return context | {"count": up_to(len(pairs), COUNTED), "several": one is None and bool(pairs)}
