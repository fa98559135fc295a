"""Comments on steps: they go with their step, stay when it goes, and are no part of what is published."""

import uuid

import pytest

from accounts import folders
from accounts.folders import Grant
from accounts.models import AccountMail, User
from accounts.principal import Forbidden
from lib.refusals import Conflict, Invalid, Missing
from tasks_inbox.duties import account_mails
from tests.definitions import chain
from tests.people import People
from tests.smtp import mailbox
from workflows import queries
from workflows.comments import threads
from workflows.document.change_requests import read_groups
from workflows.drafts import changing
from workflows.models import StepComment, StepThread, Workflow, WorkflowVersion
from workflows.versions import lifecycle

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return People()


@pytest.fixture
def author(people):
    author = people.principal("author")
    lifecycle.create_workflow(author, name="flow", definition=chain("flow", length=3))
    return author


def say(who, text="Why this?", step="s0"):
    return threads.write(who, "flow", step=step, text=text)


def said(who):
    """The texts by step, oldest first."""
    rows = threads.comments_of(who.tenant_id, "flow").order_by("id")
    found = {}
    for row in rows:
        found.setdefault(row.thread.node, []).append(row.text)
    return found


def number(who):
    return queries.news_of(who.tenant_id, "flow").comments_number


def change(who, *changes):
    group = {"id": str(uuid.uuid4()), "label": "Changed", "changes": list(changes)}
    return changing.change_draft(who, "flow", revision=1, groups=read_groups([group]))


def node(who, name):
    nodes = queries.get_workflow(who.tenant_id, "flow").draft_definition["nodes"]
    return {
        key: value for key, value in next(one for one in nodes if one["id"] == name).items() if key != "id"
    }


def moved(who, old, new):
    """The changes that give a step another id."""
    body = node(who, old)
    return {"path": ["nodes", old], "from": body}, {"path": ["nodes", new], "to": body}


def test_replies_go_to_the_open_thread_of_a_step_and_a_resolved_one_is_not_gone_on_with(author):
    first, second = say(author), say(author, "Because.")
    assert first.thread_id == second.thread_id
    threads.resolve(author, "flow", second.pk)
    third = say(author, "And now?")
    assert third.thread_id != first.thread_id
    assert StepThread.objects.for_tenant(author.tenant_id).filter(resolved_at=None).count() == 1
    again = threads.reopen(author, "flow", first.pk)
    assert (again.thread.resolved_at, again.thread.resolved_by) == (None, None)


def test_whatever_happens_to_comments_raises_the_number_and_what_changes_nothing_does_not(author):
    comment = say(author)
    assert number(author) == 1
    threads.resolve(author, "flow", comment.pk)
    threads.resolve(author, "flow", comment.pk)
    assert number(author) == 2
    threads.delete(author, "flow", comment.pk)
    assert number(author) == 3
    change(author, {"path": ["nodes", "s0", "title"], "to": "One"})
    assert number(author) == 3


def test_comments_go_with_a_step_that_gets_another_id_and_back_with_the_undo(author):
    say(author)
    say(author, "Of another", "s1")
    change(author, *moved(author, "s0", "clean"))
    assert said(author) == {"clean": ["Why this?"], "s1": ["Of another"]}
    assert number(author) == 3
    change(author, *moved(author, "clean", "s0"))
    assert said(author) == {"s0": ["Why this?"], "s1": ["Of another"]}


def test_comments_go_with_a_step_that_gets_another_id_in_the_text(author):
    say(author)
    definition = chain("flow", length=3)
    workflow = queries.get_workflow(author.tenant_id, "flow")
    definition["nodes"][0] |= {"title": "Only this one"}
    lifecycle.save_draft(author, "flow", definition=definition, expected_revision=workflow.draft_revision)
    definition["nodes"][0]["id"] = "first"
    definition["edges"] = [edge for edge in definition["edges"] if edge["from"] != "s0"]
    lifecycle.save_draft(author, "flow", definition=definition, expected_revision=workflow.draft_revision + 1)
    assert said(author) == {"first": ["Why this?"]}


def test_comments_of_a_step_that_is_gone_are_kept(author):
    comment = say(author)
    body = node(author, "s0")
    change(author, {"path": ["nodes", "s0"], "from": body})
    assert said(author) == {"s0": ["Why this?"]}
    assert threads.resolve(author, "flow", comment.pk).thread.resolved_at is not None
    with pytest.raises(Invalid):
        say(author, "Too late")


def test_a_rename_that_is_refused_leaves_comments_where_they_are(author):
    say(author)
    wrong = {"path": ["nodes", "s1", "title"], "from": "Not what it is", "to": "x"}
    assert change(author, *moved(author, "s0", "clean"), wrong).applied == []
    assert said(author) == {"s0": ["Why this?"]}


def test_comments_are_no_part_of_what_is_published_or_exported(author):
    lifecycle.publish(author, "flow")
    before = WorkflowVersion.objects.for_tenant(author.tenant_id).get().content_hash
    say(author)
    assert not lifecycle.publish(author, "flow").created
    assert WorkflowVersion.objects.for_tenant(author.tenant_id).get().content_hash == before
    assert "Why this?" not in str(lifecycle.export(author, "flow"))


@pytest.mark.parametrize("text", ["", "  \n "])
def test_a_comment_says_something_of_a_step_that_is_there(author, text):
    with pytest.raises(Invalid):
        say(author, text)
    with pytest.raises(Invalid):
        say(author, step="nowhere")
    assert not StepThread.objects.for_tenant(author.tenant_id).exists()


def test_who_wrote_it_deletes_it_and_the_last_one_takes_the_thread_with_it(author, people):
    first, admin = say(author), people.principal("admin")
    reply = threads.write(admin, "flow", step="s0", text="No.")
    with pytest.raises(Forbidden):
        threads.delete(admin, "flow", first.pk)
    threads.delete(author, "flow", first.pk)
    assert said(author) == {"s0": ["No."]}
    threads.delete(admin, "flow", reply.pk)
    assert not StepThread.objects.for_tenant(author.tenant_id).exists()


def test_who_may_only_read_and_whoever_comes_to_an_archived_workflow_says_nothing(author, people):
    comment = say(author)
    viewer = people.principal("viewer")
    for act in (lambda: say(viewer), lambda: threads.resolve(viewer, "flow", comment.pk)):
        with pytest.raises(Forbidden):
            act()
    lifecycle.archive(author, "flow")
    with pytest.raises(Conflict):
        say(author)
    assert said(viewer) == {"s0": ["Why this?"]}


def test_a_comment_of_another_workflow_is_not_there(author):
    comment = say(author)
    lifecycle.create_workflow(author, name="other", definition=chain("other", length=1))
    with pytest.raises(Missing):
        threads.resolve(author, "other", comment.pk)


def test_a_thread_is_full_at_some_point(author, monkeypatch):
    monkeypatch.setattr(threads, "THREAD_COMMENTS", 2)
    say(author)
    say(author)
    with pytest.raises(Conflict):
        say(author)


@pytest.fixture
def box(monkeypatch):
    with mailbox(monkeypatch) as box:
        yield box


def grant(people, *roles):
    """Let these roles into the workflow's folder, and no others."""
    admin = people.principal("admin")
    folder = queries.get_workflow(admin.tenant_id, "flow").folder_id
    folders.change_folder(admin, folder, grants=[Grant(("read", "edit"), role) for role in roles])


def mailed(people, role, **settings):
    user = people.member(role)
    User.objects.filter(pk=user.pk).update(email=f"{role}@example.org", **settings)
    return user.username


def test_whom_a_comment_mentions_is_mailed_with_a_link_to_the_step_and_not_what_it_says(author, people, box):
    operator, viewer = mailed(people, "operator", name="Olga Orr"), mailed(people, "viewer")
    Workflow.objects.for_tenant(author.tenant_id).update(title="Refunds")
    grant(people, "author", "operator")
    say(author, f"@{operator.upper()}, @{viewer} and @nobody, me@example.org: secret? @author-of-ours")
    # Viewers may not read what lies in the folder, and nobody is mailed of what they wrote themselves.
    assert list(
        AccountMail.objects.for_tenant(author.tenant_id).values_list("user__username", flat=True)
    ) == [operator]
    account_mails.tick(10)
    (message,) = box.messages()
    text = message.get_body(("plain",)).get_content()
    assert message["Subject"] == "author-of-ours mentioned you in a comment: Refunds"
    assert "/workflows/flow/edit?step=s0" in text
    assert "secret" not in message.as_string()
    account_mails.tick(10)
    assert len(box.messages()) == 1


def test_nobody_is_mailed_who_wants_none_or_may_not_read_it_by_then_or_when_the_comment_is_gone(
    author, people, box
):
    operator = mailed(people, "operator", mail="nothing")
    say(author, f"@{operator}")
    account_mails.tick(10)
    User.objects.filter(username=operator).update(mail="all")
    comment = say(author, f"@{operator} look")
    threads.delete(author, "flow", comment.pk)
    account_mails.tick(10)
    say(author, f"@{operator} again")
    grant(people, "author")
    account_mails.tick(10)
    assert box.messages() == []
    assert StepComment.objects.for_tenant(author.tenant_id).count() == 2
