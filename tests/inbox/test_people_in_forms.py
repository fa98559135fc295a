"""Fields for people hold usernames of active members, at starts and in tasks, on pages and over REST."""

import html

import pytest
from django.test import Client

from accounts.models import User
from lib.refusals import Invalid
from runs.commands.starts import NewRun, Terms, start_runs
from runs.kernel.refused import RunRefused
from runs.models import Run
from tasks_inbox.actions import rounds
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member, read, task_of

pytestmark = pytest.mark.django_db

PERSON = {"type": "string", "format": "person", "title": "Deputy"}
FORM = {
    "type": "object",
    "required": ["deputy"],
    "properties": {"deputy": PERSON, "team": {"type": "array", "items": PERSON}},
}


@pytest.fixture
def ann():
    who = member("ann", "operator")
    called("ann", "Ann Lee")
    return who


@pytest.fixture
def client(ann) -> Client:
    client = Client()
    client.force_login(user("ann"))
    return client


def user(name):
    return User.objects.get(username=name)


def called(name, full_name):
    one = user(name)
    one.name = full_name
    one.save()


def leaves(name):
    one = user(name)
    one.is_active = False
    one.save()


def flow(**more):
    return make.a_version(make.chain("noop", input_schema=FORM, **more))


def test_a_start_form_takes_a_name_and_keeps_the_username(client):
    version = flow()
    path = f"/workflows/{version.workflow.name}/start"
    assert '<option value="Ann Lee (ann)">' in client.get(path).text
    answer = client.post(path, {"input_kind": "form", "input.deputy": "ann LEE"})
    assert answer.status_code == 302
    assert Run.unsafe_all_tenants.get().input == {"deputy": "ann"}


def test_a_start_form_refuses_strangers_and_says_whom_a_shared_name_may_mean(client):
    for name in ("ben", "ben2"):
        member(name)
        called(name, "Ben Ray")
    path = f"/workflows/{flow().workflow.name}/start"
    for text, said in (
        ("Zoe", "“Zoe” is not a member."),
        ("Ben Ray", "Several members are called “Ben Ray”: enter one of ben, ben2."),
    ):
        answer = client.post(path, {"input_kind": "form", "input.deputy": text})
        assert answer.status_code == 422
        assert said in html.unescape(answer.text)
        assert f'value="{text}"' in answer.text
    assert Run.unsafe_all_tenants.count() == 0


def test_a_start_over_rest_names_the_field_of_a_stranger(client):
    member("ben")
    leaves("ben")
    body = {"workflow": flow().workflow.name, "input": {"deputy": "ann", "team": ["ann", "ben"]}}
    answer = client.post("/api/v1/runs", body, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "input.team[1]")
    assert answer.json()["error"]["code"] == "not_a_member"
    body["input"] = {"deputy": "ANN", "team": []}
    assert client.post("/api/v1/runs", body, content_type="application/json").status_code == 201


def test_one_of_many_starts_is_refused_at_its_item_and_a_key_that_has_a_run_still_gives_it(ann):
    version = flow()
    terms = Terms(ann.tenant_id, version.pk, "ann")
    with pytest.raises(RunRefused) as found:
        start_runs(terms, [NewRun({"deputy": "ann"}), NewRun({"deputy": "zoe"})])
    assert found.value.field == "items[1].input.deputy"
    member("ben")
    item = NewRun({"deputy": "ben"}, business_key="k-1")
    (first,) = start_runs(terms, [item])
    leaves("ben")
    (again_,) = start_runs(terms, [item])
    assert (again_.id, again_.created) == (first.id, False)


def test_members_of_another_tenant_are_strangers(ann):
    other = make.MembershipFactory(tenant=make.TenantFactory(slug="other"), user__username="eve")
    with pytest.raises(RunRefused, match="not a member"):
        start_runs(Terms(ann.tenant_id, flow().pk, "ann"), [NewRun({"deputy": other.user.username})])


def test_a_decision_takes_members_only_and_a_form_takes_their_names(client, ann):
    task = asked(approval(type="human.form", form=FORM))
    member("ben")
    called("ben", "Ben Ray")
    page = client.get(f"/inbox/{task.pk}").text
    assert '<option value="Ben Ray (ben)">' in page
    with pytest.raises(Invalid) as found:
        decide(ann, task, "submitted", data={"deputy": "zoe"})
    assert [one["field"] for one in found.value.details["errors"]] == ["data.deputy"]
    wrong = client.post(f"/inbox/{task.pk}/decide", {"outcome": "submitted", "data.deputy": "Zoe"})
    assert (wrong.status_code, "“Zoe” is not a member." in html.unescape(wrong.text)) == (422, True)
    typed = {"outcome": "submitted", "data.deputy": "Ben Ray (ben)", "data.team[0]": "Ann Lee"}
    assert client.post(f"/inbox/{task.pk}/decide", typed).status_code == 302
    done = again(task)
    assert done.data == {"deputy": "ben", "team": ["ann"]}
    page = client.get(f"/inbox/{task.pk}").text
    assert '<span class="said">Ben Ray</span>' in page


def test_a_task_within_a_map_takes_members_only(ann):
    ask = {"type": "human.form", "params": {"title": "Who?", "form": FORM}}
    (run_id,) = make.start(make.mapped(ask), {"items": [1]})
    make.work()
    task = task_of(make.children_of(run_id)[0].pk)
    with pytest.raises(Invalid):
        decide(ann, task, "submitted", data={"deputy": "zoe"})
    assert decide(ann, task, "submitted", data={"deputy": "ann"}).data == {"deputy": "ann"}


def test_a_person_among_the_facts_is_shown_by_name_and_corrected_by_name(client, ann):
    member("ben")
    called("ben", "Ben Ray")
    ask = approval(facts={"Deputy": "{{ input.deputy }}"}, amendable=["Deputy"])
    given = {"type": "object", "properties": {"deputy": PERSON}}
    task = asked(ask | {"input_schema": given}, deputy="ben")
    assert "Ben Ray" in client.get(f"/inbox/{task.pk}").text
    boss = member("boss", "admin")
    rounds.return_task(boss, task.pk, comment="Who else?", to="ann", seen=read(boss, task))
    with pytest.raises(Invalid, match="not a member"):
        rounds.send_again(ann, task.pk, facts={"Deputy": "zoe"}, comment="")
    rounds.send_again(ann, task.pk, facts={"Deputy": "ann"}, comment="")
    assert again(task).facts[0]["value"] == "ann"
