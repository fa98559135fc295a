"""Whom a comment on a step mentions: `@username` of members who may read the workflow."""

from django.db.models import Case, Q, When
from django.db.models.functions import Lower

from accounts import outgoing
from accounts.models import MENTIONED, User
from accounts.names import key_of, mentioned_in
from accounts.principal import Principal
from accounts.queries import readers_of
from workflows.limits import MENTION_CHOICES, MENTIONED_PEOPLE
from workflows.models import StepComment, StepMention, Workflow


def tell(principal: Principal, workflow: Workflow, comment: StepComment) -> None:
    """Have those mailed whom a comment mentions, in its transaction."""
    for user in mentioned(principal, workflow, comment.text):
        mail_id = outgoing.write(workflow.tenant_id, user, MENTIONED, by=principal.username)
        StepMention.objects.create(tenant_id=workflow.tenant_id, mail_id=mail_id, comment=comment)


def mentioned(by: Principal, workflow: Workflow, text: str) -> list[User]:
    """Who is to be told, each once, without who wrote it; one statement, or none."""
    names = mentioned_in(text)
    if not names:
        return []
    rows = readers_of(workflow.tenant_id, workflow.folder_id)
    readers = rows.annotate(lowered=Lower("user__username")).filter(lowered__in=names)
    users = {key_of(seat.user.username): seat.user for seat in readers if seat.user_id != by.user_id}
    return [users[name] for name in names if name in users][:MENTIONED_PEOPLE]


def offered(by: Principal, folder_id: int, q: str) -> list[User]:
    """The first whom somebody may mention with `q` in a name or the e-mail; those whose name begins so come first."""
    begins = Q(user__username__istartswith=q) | Q(user__name__istartswith=q)
    readers = readers_of(by.tenant_id, folder_id, q).exclude(user=by.user_id)
    seats = readers.order_by(Case(When(begins, then=0), default=1), "user__username")
    return [seat.user for seat in seats[:MENTION_CHOICES]]
