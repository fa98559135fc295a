"""Returning a task for changes, and sending it again: what was decided until then doesn't count any more (R-146).

Who returns it says why and to whom: to who started the run, unless they name somebody else. It waits there with its
clock at a standstill. Sent again, it is the next round: facts that its author lets be corrected may be others.
"""

from collections.abc import Mapping
from uuid import UUID

from accounts import audit
from accounts.names import key_of
from accounts.picking import require_member, strangers
from accounts.principal import Principal
from accounts.queries import find_member
from accounts.roles import TASKS_READ
from engine.catalogue import Json
from engine.errors import ExpressionError
from lib.api.errors import join
from lib.forms.people import not_a_member
from lib.refusals import Conflict, Invalid, NotAllowed, TooLarge
from lib.strict_json import BadJson, JsonTooLarge, strict_dumps
from lib.typed_values import NAMES_OF_KINDS, fits, kind_of
from runs.kernel.unit_of_work import changing
from runs.models import Run
from runs.store import waits
from steps.limits import TASK_BYTES
from tasks_inbox.actions import comments
from tasks_inbox.actions.decision import Decision, require_seen
from tasks_inbox.actions.locking import lock_task, with_run_locked
from tasks_inbox.actions.recording import add_link, decider_of
from tasks_inbox.eligibility import policies, votes
from tasks_inbox.eligibility.assigning import may_assign
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.eligibility.policies import CORRECTOR
from tasks_inbox.eligibility.refusals import conflict, open_task
from tasks_inbox.eligibility.standing import to_decide
from tasks_inbox.forms.texts import renewed_texts, written
from tasks_inbox.limits import TASK_COMMENT_CHARACTERS, TASK_ROUNDS
from tasks_inbox.models import FOR_OPERATORS, RETURNED, SENT_AGAIN, SENT_BACK, ManualTask
from tasks_inbox.models.comments import CORRECTED
from tasks_inbox.reading.changes import changes
from tasks_inbox.store import queries, statements


def return_task(
    principal: Principal,
    task_id: UUID,
    *,
    comment: str,
    to: str | None = None,
    seen: str | None = None,
    reason: str | None = None,
    who: Who | None = None,
) -> ManualTask:
    """Return a task that one may decide for changes. It is kept as evidence, as a decision is.

    `to`: another member than who started the run; `seen` as in `complete_task`, `who` as in `standing`. Raises as that,
    Invalid at `comment` and `to`, and Conflict `nobody_to_return_to` where nobody who is a member has started the run.
    """
    task = to_decide(principal, task_id, who).task
    remark = comments.checked(comment, field="comment")
    if task.kind in FOR_OPERATORS:
        message = "This task was not opened by a step: what it is about cannot be changed."
        raise Conflict(message, code="is_a_compensation")
    if task.round >= TASK_ROUNDS:
        message = f"This is round {task.round}: decide it, or talk to each other."
        raise Conflict(message, code="too_many_rounds")
    require_seen(seen)
    member = _who_changes(principal, task, to)

    def cast() -> None:
        locked = lock_task(principal, task_id, seen)
        by, current = decider_of(principal), locked.task
        decision = Decision(RETURNED, comment=remark, seen=seen)
        link = add_link(locked, by, decision, votes.returned(current), bars=())
        # What they were about to decide is not what they want any more.
        statements.drop_held(task_id, principal.username)
        statements.return_task(task_id, to=member, link=link)
        comments.keep(principal, current, remark, SENT_BACK)

    with_run_locked(task, cast, by=principal.username)
    audit.record(principal, f"return to {member}", f"task {task_id}", reason=reason or remark)
    return queries.task_of(principal.tenant_id, task_id)


def send_again(
    principal: Principal,
    task_id: UUID,
    *,
    facts: Mapping[str, Json] | None = None,
    comment: str = "",
    reason: str | None = None,
) -> ManualTask:
    """Send a task that was returned to those who decide it: the next round.

    For whom it was returned to, who may correct `facts`, by label; whoever returned it, or may assign tasks, takes it
    back as it is. Raises Missing, NotAllowed, Conflict where it is not returned, Invalid at `facts` and `comment`.
    """
    principal.require(TASKS_READ)
    task = open_task(principal, task_id)
    if task.returned_to is None:
        raise Conflict("This task is not returned for changes.", code="not_returned")
    _is_with(principal, task, facts)
    remark = comments.checked(comment, field="comment") if comment.strip() else ""
    new_facts = _corrected(task, facts or {})
    differences = changes(task.facts, new_facts)
    texts = _next_texts(task, new_facts)
    with changing(task.tenant_id, [str(task.run_id)]):
        by = principal.username
        bars = {key_of(by): CORRECTOR} if differences and policies.wants_four_eyes(task) else {}
        if not statements.send_again(
            task_id, round=task.round, facts=new_facts, texts=texts, differences=differences, by=by, why=bars
        ):
            current = open_task(principal, task_id)
            raise (
                conflict(current)
                if current.returned_to
                else Conflict("It was sent again.", code="not_returned")
            )
        waits.change_task(task.step_id, {"facts": new_facts, **(texts or {})})
        comments.keep(principal, task, remark or _in_words(differences), SENT_AGAIN)
        audit.record(principal, "send again", f"task {task_id}", reason=reason or remark)
    return queries.task_of(principal.tenant_id, task_id)


def _who_changes(principal: Principal, task: ManualTask, to: str | None) -> str:
    """The username of the member to whom it is returned. Raises Invalid and Conflict."""
    requester = None if to else _requester(task)
    member = find_member(task.tenant_id, requester) if requester else None
    if to:
        member = require_member(task.tenant_id, to, field="to")
    if member is None:
        message = "Whoever started this run is not a member: name who should get it."
        raise Conflict(message, code="nobody_to_return_to")
    if key_of(member.user.username) == key_of(principal.username):
        message = "This would come straight back to you: decide it, or name somebody else."
        raise Invalid(message, code="yourself", field="to")
    return member.user.username


def _requester(task: ManualTask) -> str | None:
    runs = Run.objects.for_tenant(task.tenant_id).filter(pk=task.run_id)
    return runs.values_list("created_by", flat=True).first()


def _is_with(principal: Principal, task: ManualTask, facts: Mapping[str, Json] | None) -> None:
    """Lets pass who may send it again. Raises NotAllowed."""
    if key_of(principal.username) == key_of(task.returned_to or ""):
        return
    returner = key_of(principal.username) == key_of(task.stopped_by or "")
    if not returner and not may_assign(principal, task):
        raise NotAllowed(f"This was returned to {task.returned_to}, not to you.", code="not_asked")
    if facts:
        message = f"Only {task.returned_to} can correct it; you can take it back as it is."
        raise NotAllowed(message, code="not_asked")


def _corrected(task: ManualTask, facts: Mapping[str, Json]) -> list[Json]:
    """The facts with what was corrected. Raises Invalid at the first that can't be."""
    labels = {fact["label"] for fact in task.facts if fact.get("may_change")}
    for label in facts:
        if label not in labels:
            message = f"“{label}” can't be corrected."
            raise Invalid(message, code="not_amendable", field=join("facts", label))
    new_facts = [{**fact, "value": facts.get(fact["label"], fact["value"])} for fact in task.facts]
    for fact in new_facts:
        if fact["label"] in facts and not fits(fact["value"], fact.get("type")):
            message = f"“{fact['label']}” needs {NAMES_OF_KINDS[kind_of(fact['type'])]}."
            raise Invalid(message, code="wrong_type", field=join("facts", fact["label"]))
    for fact in new_facts:
        is_person = fact["label"] in facts and kind_of(fact.get("type")) == "person"
        if is_person and (name := str(fact["value"])) and strangers(task.tenant_id, [name]):
            raise Invalid(not_a_member(name), code="not_a_member", field=join("facts", fact["label"]))
    try:
        strict_dumps(new_facts, max_bytes=TASK_BYTES)
    except JsonTooLarge as error:
        raise TooLarge(error.message, field="facts") from None
    except BadJson as error:
        raise Invalid(error.message, code="bad_json", field="facts") from None
    return new_facts


def _next_texts(task: ManualTask, facts: list[Json]) -> dict[str, Json] | None:
    """What the texts say once the facts are these; None where they read none. Raises Invalid at `facts`."""
    if not task.texts:
        return None
    try:
        texts = renewed_texts(task.texts, facts)
    except ExpressionError as error:
        message = f"With these values the question can't be written: {error}"
        raise Invalid(message, code="bad_correction", field="facts") from None
    return {"texts": texts, **written({"outcomes": task.outcomes, "texts": texts})}


def _in_words(differences: list[Json]) -> str:
    labels = ", ".join(f"“{one['label']}”" for one in differences)
    return f"{CORRECTED}{labels}."[:TASK_COMMENT_CHARACTERS] if differences else "Sent again without changes."
