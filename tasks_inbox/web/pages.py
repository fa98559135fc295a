"""What the pages of the inbox show: the contexts of their templates."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

from django.urls import reverse

from accounts import once, people
from accounts.access import PageRequest
from accounts.names import key_of
from accounts.picking import Members
from accounts.roles import RUNS_READ, TASKS_ASSIGN
from engine.catalogue import Json
from lib.clock import now_here
from lib.forms.fields import Form
from lib.markdown import markdown
from lib.masking import masked
from lib.reader import moment_text
from lib.refusals import Conflict, Invalid, Refusal
from lib.typed_values import plain_text
from runs.files.trees import FileView, described
from runs.kernel.refused import RunRefused
from tasks_inbox.actions import assignment, comments, deciding, drafts, holding, notes
from tasks_inbox.actions.decision import Decision, check_decision
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.eligibility.quorum import needs_several
from tasks_inbox.eligibility.refusals import require_answer
from tasks_inbox.eligibility.standing import standing
from tasks_inbox.forms import files
from tasks_inbox.forms.form import form_of
from tasks_inbox.forms.people import name_people
from tasks_inbox.forms.texts import instructions_of, named_in, outcomes_of, people_in, title_of
from tasks_inbox.lifecycle import asking
from tasks_inbox.lifecycle.waits import whom
from tasks_inbox.limits import ASSIGNEE_CHARACTERS, MEMBER_CHOICES, TASK_REASON_CHARACTERS
from tasks_inbox.models import FOR_OPERATORS, INCIDENT, OPEN, ManualTask, TaskComment, TaskFile, label_of
from tasks_inbox.reading import listing, task_rows
from tasks_inbox.store import queries
from tasks_inbox.web import covered, facts, panes
from tasks_inbox.web.asking import who_of
from tasks_inbox.web.corrections import correction_form
from tasks_inbox.web.kept import whole_list
from tasks_inbox.web.masked import shown_form, shown_schema, true_data
from tasks_inbox.web.panes import SNOOZES, Place
from tasks_inbox.web.undoing import with_held
from tasks_inbox.web.uploads import posted

COMMENTS_ON_A_PAGE = 100
KEYS = (("a", "1"), ("r", "2"), *((str(number),) for number in range(3, 10)))
"""By which keys the outcomes of a task are taken up, one after the other."""
BROUGHT_UP = "Your entries require more fields: fill them in below, then decide."
_QUESTIONS = {"ask": comments.ask, "answer": comments.answer}


def list_context(request: PageRequest) -> dict[str, Json]:
    """The tasks of a view, or of one run. Raises Invalid for a cursor of another list."""
    who = who_of(request, request.principal)
    return with_held(request, whole_list(request, who, Place.of(request)))


def task_context(request: PageRequest, task: ManualTask, form: Form | None = None) -> dict[str, Json]:
    """What a task's pane shows, its form with what was typed; on a page of its own also the list in which it stands."""
    who = who_of(request, request.principal)
    before = panes.id_of(request.GET.get("before", ""))
    remarks, earlier = queries.last_comments(task, COMMENTS_ON_A_PAGE, before=before)
    may_comment = who.decides and task.status == OPEN
    attachments = list(files.files_of(task))
    run = panes.run_pane(task)
    context = state_context(request, task, attachments, _writers(run, task, remarks, attachments)) | run
    draft = (
        drafts.draft_of(request.principal, task) if form is None and context["task"]["may_decide"] else None
    )
    if form is None:
        form = shown_form(task, None if draft is None else draft.data)
    mark_needed(form, task)
    files.name_files(form.each(), attachments)
    name_people(task, form.each())
    place = Place.of(request)
    is_whole = not request.headers.get("HX-Request")
    return context | {
        **(with_held(request, whole_list(request, who, place, task.pk)) if is_whole else {}),
        "stays": place.address(),
        "form": form,
        "draft": draft,
        "is_outdated": draft is not None and draft.shown_hash != context["task"]["shown_hash"],
        "comment": draft.comment if draft else "",
        "instructions": markdown(instructions_of(task)),
        "outcomes": _outcomes(task, covered.then(context["task"]["approves"], context["then"])),
        "comment_wanted": [one["label"] for one in task.outcomes if one["require_comment"]],
        "signed": [one["label"] for one in task.outcomes if one.get("sign")],
        # What its instructions say of the run is over then.
        "is_settled": task.kind in FOR_OPERATORS and task.status != OPEN,
        "facts": facts.drawn(task.facts, _files_in(task)),
        "rounds_before": task.round - 1,
        "approves": covered.in_words(context["task"]["approves"], task.outcomes),
        "changed_facts": [
            {"label": one["label"]}
            | {side: plain_text(one[side], one.get("type")) for side in ("before", "after")}
            for one in context["task"]["changed"]
        ],
        "said": remarks,
        "earlier": earlier,
        "may_comment": may_comment,
        "corrections": correction_form(task).fields if context["is_with_me"] else (),
        "once": once.ticket(request.principal) if may_comment else "",
        "delegates": task_rows.delegates_of(task, who, MEMBER_CHOICES, but=context["electors"])
        if context["may_give"] or context["is_undecidable"]
        else (),
        **_filled_in(task, attachments),
        "files": [
            files.file_row(file) | {"may_go": task.status == OPEN and file.by == who.username}
            for file in attachments
        ],
        "may_attach": task.status == OPEN and (who.decides or _has_started(context, who)),
        "snoozes": SNOOZES,
        "snoozed_until": until
        if (until := context["task"]["snoozed_until"]) and until > now_here()
        else None,
    }


def _files_in(task: ManualTask) -> dict[str, FileView]:
    """The files that facts of a task name, of those that its run may read."""
    ids = named_in(task.facts, "file")

    def address(file_id: str) -> str:
        return reverse("api-task-file", args=[task.pk, file_id])

    return described(task.tenant_id, task.run_id, ids, address) if ids else {}


def _outcomes(task: ManualTask, then: Mapping[str, str]) -> list[dict[str, Json]]:
    """The outcomes with what each leads to, and the key that takes it up."""
    return [
        one | {"then": then.get(one["name"], ""), "keys": KEYS[at] if at < len(KEYS) else ()}
        for at, one in enumerate(outcomes_of(task))
    ]


def state_context(
    request: PageRequest,
    task: ManualTask,
    attachments: Sequence[TaskFile] | None = None,
    usernames: Sequence[str] = (),
) -> dict[str, Json]:
    """How a task stands for whoever looks, and what changed since they opened its page, which names `usernames`."""
    who = who_of(request, request.principal)
    workflow = queries.workflows_of(who.tenant_id, [task])[task.workflow_id]
    stands = standing(request.principal, task, who, workflow.folder)
    whole = task_rows.whole_row(stands, workflow.name, attachments)
    deciders = panes.decider_pane(task)
    may_assign, level = request.principal.may_in(TASKS_ASSIGN, workflow.folder), asking.next_level(task)
    voters = panes.voters(deciders, whole, level)
    people.learn(who.tenant_id, [*panes.named_in(task), *voters, *usernames])
    row = panes.in_words(whole)
    now = f"{int(row['may_decide'])}{row['shown_hash']}"
    was = request.GET.get("was", now)
    undecidable = task.status == OPEN and task.undecidable_since is not None
    return deciders | {
        "task": row,
        "was_unseen": panes.was_unseen(task),
        "workflow_title": workflow.title,
        "may_see_run": request.principal.may_in(RUNS_READ, workflow.folder),
        **panes.due_pane(task, now_here()),
        "is_mine": task.assignee == who.username,
        "is_with_me": task.status == OPEN and key_of(task.returned_to or "") == key_of(who.username),
        "may_take_back": task.returned_to is not None and (task.stopped_by == who.username or may_assign),
        "may_assign": may_assign and task.status == OPEN and (undecidable or not deciders["several"]),
        "is_undecidable": undecidable and may_assign,
        "decides": who.decides,
        "may_escalate": task.kind not in FOR_OPERATORS
        and task.returned_to is None
        and (
            (row["may_decide"] and who.decides)
            or (task.status == OPEN and may_assign and (level is not None or undecidable))
        ),
        "settles": task.kind in FOR_OPERATORS,
        "is_incident": task.kind == INCIDENT,
        "about": queries.task_about(task),
        "held_label": label_of(task.outcomes, row["held"]["outcome"]) if row["held"] else "",
        "next_level": whom(level["to"], "") if level else "",
        "may_answer": not who.decides and key_of(task.asked_of or "") == key_of(who.username),
        "is_asked": stands.is_asked,
        "is_handed": task.assignee == who.username and task.delegated_by is not None,
        "has_voted": stands.has_voted,
        "why_excluded": stands.why_excluded,
        "may_give": row["may_decide"]
        and who.decides
        and task.kind != INCIDENT
        and not (row["stands_in_for"] or stands.has_vote_of),
        "handed_to": stands.vote_is_with,
        "has_vote_of": stands.has_vote_of,
        "was": was,
        "could_decide": was.startswith("1"),
        "changed": was[1:] != now[1:],
    }


def _has_started(context: dict[str, Json], who: Who) -> bool:
    run = context["run_facts"]
    return run is not None and key_of(run.created_by) == key_of(who.username)


def _writers(
    run: dict[str, Json],
    task: ManualTask,
    remarks: Sequence[TaskComment],
    attachments: Sequence[TaskFile],
) -> list[str]:
    """The usernames of those who started the run, whom facts tell of, and who said or added something."""
    started = [run["run_facts"].created_by] if run["run_facts"] else []
    return [
        *started,
        *people_in(task, task.facts),
        *(one.by for one in remarks),
        *(one.by for one in attachments),
    ]


def mark_needed(form: Form, task: ManualTask) -> None:
    """Say at each field which outcomes need it."""
    for field in form.fields:
        needs = [one["label"] for one in task.outcomes if field.key in (one.get("require") or ())]
        field.needed_for = ", ".join(needs)


def decide(request: PageRequest, task_id: UUID) -> str | tuple[dict[str, Json], int]:
    """Decide as the form says; gives what is to be told then, otherwise the page with what was wrong and its status."""
    principal = request.principal
    task = queries.task_of(principal.tenant_id, task_id)
    require_answer(principal, task)
    entries, not_taken = posted(request, task_id)
    form = form_of(shown_schema(task.form), entries, people=Members(task.tenant_id))
    data, unknown = true_data(principal, task, form.data) if task.form is not None else (None, [])
    form.show([*not_taken, *unknown])
    seen, comment = request.POST.get("seen") or None, typed(request, "comment")
    decision = Decision(request.POST.get("outcome", ""), data, comment, seen)
    status = 422
    context: dict[str, Json] = {"comment": comment, "comment_error": "", "faults": [], "refused": ""}
    context["tried"] = decision.outcome
    try:
        if any(field.error or field.is_new for field in form.each()):
            check_decision(task, decision)
            if not any(field.error for field in form.each()):
                context["faults"] = [BROUGHT_UP]
        else:
            stands = standing(principal, task, who_of(request, principal))
            if holding.seconds_to_undo(task, decision.outcome):
                # It is said where it can be undone.
                holding.hold(principal, stands, decision)
                return ""
            password = request.POST.get("password") or None
            is_enough = deciding.decide(principal, stands, decision, password=password)
            return _decided(task, decision.outcome, is_enough=is_enough)
    except Invalid as error:
        faults: list[dict[str, Json]] = list(cast(Any, error.details.get("errors", ())))
        context["comment_error"] = next((one["message"] for one in faults if one["field"] == "comment"), "")
        faults += [{"field": "seen", "message": error.message}] if error.field == "seen" else []
        context["password_error"] = error.message if error.field == "password" else ""
        context["faults"] = form.show(one for one in faults if one["field"] not in ("comment", "password"))
    except (Refusal, RunRefused) as error:
        status, context["refused"] = 409, error.message
        wrote = [f"{field.label}: {field.text}" for field in form.each() if field.text]
        context["wrote"] = "\n".join([*wrote, comment]).strip()
        task = queries.task_of(principal.tenant_id, task_id)
        form = form_of(shown_schema(task.form), entries, people=Members(task.tenant_id))
    return task_context(request, task, form) | context | {"is_checked": status == 422}, status


def _decided(task: ManualTask, outcome: str, *, is_enough: bool) -> str:
    label = label_of(task.outcomes, outcome)
    if is_enough:
        return f"“{title_of(task)}”: {label}. Your decision is kept, and the run goes on."
    return f"“{title_of(task)}”: {label}. Your decision is kept; others must decide, too."


def onward(request: PageRequest, task_id: UUID) -> str:
    """Where somebody goes who is done with a task: to the next of their list, or to the list where it is empty.

    Who came by a link to the task alone stays with it.
    """
    place = Place.of(request)
    if not place.leads_on():
        return back(request, task_id)
    try:
        parts = place.parts(who_of(request, request.principal))
        # What they have just decided is in the list until it counts.
        held_ids = [one.task_id for one in holding.held_of(request.principal)]
        successor = listing.after(request.principal.tenant_id, parts, place.sort, task_id, but=held_ids)
    except Invalid:
        successor = None
    if successor is None:
        return f"{reverse('inbox')}?{place.address(cursor=False)}"
    return f"{reverse('task', args=[successor.pk])}?{place.address()}"


def back(request: PageRequest, task_id: UUID) -> str:
    """The task again, in the list in which it stood."""
    address, query = reverse("task", args=[task_id]), request.GET.urlencode()
    return f"{address}?{query}" if query else address


def snooze(request: PageRequest, task_id: UUID) -> str:
    """Snooze a task for so many hours as the form says, or wake it; gives what is to be told. Raises as the action."""
    hours = request.POST.get("hours", "")
    if hours not in dict(SNOOZES):
        notes.snooze_task(request.principal, task_id)
        return "The task is back in your lists."
    until = now_here() + timedelta(hours=int(hours))
    task = notes.snooze_task(request.principal, task_id, until=until)
    return f"“{title_of(task)}” is snoozed until {moment_text(until, seconds=False)}."


def comment(request: PageRequest, task_id: UUID) -> tuple[dict[str, Json], int] | None:
    """Say of a task what the form says, once however often it is sent; None when it is said, otherwise as `decide`."""
    principal, text = request.principal, typed(request, "text")
    ticket = request.POST.get("once", "")
    try:
        if (say := _QUESTIONS.get(request.POST.get("kind", ""))) is not None:
            say(principal, task_id, text)
        else:
            comments.add_comment(principal, task_id, text, id=once.id_of(principal, ticket))
        return None
    except Invalid as error:
        context, status = {"text": text, "text_error": error.message, "once": ticket}, 422
    except Conflict as error:
        title = "Your comment was not kept"
        context, status = {"text": text, "refused": error.message, "refused_title": title}, 409
    return task_context(request, queries.task_of(principal.tenant_id, task_id)) | context, status


def delegate(request: PageRequest, task_id: UUID) -> str | tuple[dict[str, Json], int]:
    """Hand a task to whom the form names; gives what is to be told then, otherwise as `decide`."""
    principal = request.principal
    to, why = typed(request, "to"), typed(request, "why")
    context: dict[str, Json] = {"to": to, "why": why}
    status = 422
    if not to:
        context["to_error"] = "Choose who gets it."
    elif len(why) > TASK_REASON_CHARACTERS:
        context["why_error"] = f"A reason has at most {TASK_REASON_CHARACTERS:,} characters."
    else:
        try:
            task = assignment.delegate_task(principal, task_id, to[:ASSIGNEE_CHARACTERS], reason=why)
            return _handed(task, principal.username)
        except Invalid as error:
            context["to_error"] = error.message
        except Refusal as error:
            status = 409
            context |= {"refused": error.message, "refused_title": "You could not give it away"}
    return task_context(request, queries.task_of(principal.tenant_id, task_id)) | context, status


def _handed(task: ManualTask, username: str) -> str:
    """What is told to who gave a task, or their vote, to somebody else."""
    people.learn(task.tenant_id, panes.named_in(task))
    if holder := policies.holder_of(task, username):
        return f"{people.name_of(holder)} decides in your place now."
    giver = people.name_of(task.delegated_by) if task.delegated_by else "themselves"
    return f"{people.name_of(task.assignee or '')} has this task now, and decides it for {giver}."


def put_back(task: ManualTask) -> str:
    """What is told of a task that was put back."""
    if needs_several(task.quorum):
        return "The vote is back with its owner."
    if task.assignee is None:
        return "The task is open again to everybody it asks."
    people.learn(task.tenant_id, [task.assignee])
    return f"The task is with {people.name_of(task.assignee)} again."


def typed(request: PageRequest, name: str) -> str:
    """What stood in a field of a form."""
    return request.POST.get(name, "").replace("\r\n", "\n").replace("\x00", "").strip()


def _filled_in(task: ManualTask, attachments: list[TaskFile]) -> dict[str, Json]:
    """A decided task's form as it was filled in, and what is in its data beside that."""
    if not task.data:
        return {}
    form = shown_form(task, task.data)
    files.name_files(form.each(), attachments)
    name_people(task, form.each())
    properties = form.properties()
    extras = (
        []
        if None in properties
        else [
            facts.fact_of(key, one, None) for key, one in masked(task.data).items() if key not in properties
        ]
    )
    return {"entries": form.fields, "others": extras}
