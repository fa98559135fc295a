"""What somebody has typed and not sent: theirs alone, and gone when it is decided."""

import pytest

from accounts.models import User
from lib.refusals import Conflict, Invalid, Missing
from tasks_inbox.actions import assignment, drafts
from tasks_inbox.limits import TASK_DRAFT_BYTES
from tasks_inbox.models import TaskDraft
from tests import factories as make
from tests.inbox.asking import approval, asked, decide, member
from tests.lib.test_forms import REFUND

pytestmark = pytest.mark.django_db


def kept():
    return {(one.user_id, one.comment) for one in TaskDraft.unsafe_all_tenants.all()}


def test_what_was_typed_is_kept_right_or_wrong_and_the_last_counts():
    task, ann = asked(approval(form=REFUND)), member("ann")
    drafts.save_draft(ann, task.pk, data={"way": 5, "gone": [1]}, comment="a")
    saved = drafts.save_draft(ann, task.pk, data={"way": "cash", "count": "two"}, comment="b")
    assert drafts.find_draft(ann, task.pk).pk == saved.pk
    assert (saved.data, saved.comment) == ({"way": "cash", "count": "two"}, "b")
    assert not drafts.is_outdated(ann, saved, task)
    task.title = "Another?"
    assert drafts.is_outdated(ann, saved, task)


def test_nobody_else_sees_it_admins_included():
    task, ann, root = asked(), member("ann"), member("root", "admin")
    drafts.save_draft(ann, task.pk, data={}, comment="Secret.")
    with pytest.raises(Missing):
        drafts.find_draft(root, task.pk)
    drafts.drop_draft(root, task.pk)
    assert drafts.find_draft(ann, task.pk).comment == "Secret."
    # Whoever has that name one day is somebody else.
    User.objects.filter(username="ann").update(username="old")
    make.a_user("ann")
    with pytest.raises(Missing):
        drafts.find_draft(member("ann"), task.pk)


def test_who_has_lost_the_task_to_somebody_keeps_what_they_typed():
    task, ann = asked(), member("ann")
    assignment.claim_task(member("bob"), task.pk)
    assert drafts.save_draft(ann, task.pk, data={}, comment="a").comment == "a"


def test_all_drafts_go_with_the_task():
    task, ann, bob = asked(), member("ann"), member("bob")
    other = asked()
    for who in (ann, bob):
        drafts.save_draft(who, task.pk, data={}, comment="a")
    drafts.save_draft(ann, other.pk, data={}, comment="b")
    decide(bob, task)
    assert kept() == {(ann.user_id, "b")}
    with pytest.raises(Conflict):
        drafts.save_draft(ann, task.pk, data={}, comment="late")
    with pytest.raises(Missing):
        drafts.find_draft(ann, task.pk)
    make.cancel(str(other.run_id))
    assert kept() == set()


def test_of_several_only_who_has_decided_loses_theirs_and_types_no_more():
    task, ann, bob = asked(approval(quorum=2)), member("ann"), member("bob")
    for who in (ann, bob):
        drafts.save_draft(who, task.pk, data={}, comment=who.username)
    decide(ann, task)
    assert kept() == {(bob.user_id, "bob")}
    with pytest.raises(Conflict):
        drafts.save_draft(ann, task.pk, data={}, comment="late")


def test_what_is_too_large_is_refused():
    task, ann = asked(), member("ann")
    with pytest.raises(Invalid):
        drafts.save_draft(ann, task.pk, data={"a": "x" * TASK_DRAFT_BYTES})
