"""The check before publishing: each finding wherever the step stands, the press that mends it, and who may press it."""

import pytest

from accounts import folders
from accounts.folders import Grant
from accounts.models import FolderGrant, User
from engine.statuses import RUN_ENDED, RUN_OPEN, RunStatus
from lib.refusals import Missing
from runs.models import Run
from steps import outside
from tests import factories as make
from tests.inbox.asking import member
from tests.store.watching import watching
from workflows.models import Workflow
from workflows.readiness import names
from workflows.readiness.checking import check_readiness
from workflows.versions import lifecycle

pytestmark = pytest.mark.django_db

MAIL = {"type": "email.send", "params": {"to": "a@example.org", "subject": "x", "body": "y"}}
PROMPT = {"type": "llm.prompt", "params": {"prompt": "Why?"}}


def asks(**candidates):
    params = {"title": "Fine?", "due_seconds": 60, "candidates": {"roles": ["admin"], **candidates}}
    return {"type": "human.form", "params": params}


FINDINGS = {
    "no_mail_server": (MAIL, ""),
    "no_language_model": (PROMPT, ""),
    "unknown_group": (asks(groups=["Nobody at all"]), ".params.candidates.groups[0]"),
    "empty_group": (asks(groups=["Empty"]), ".params.candidates.groups[0]"),
    "unknown_person": (asks(users=["ann", "zzz"]), ".params.candidates.users[1]"),
    "inactive_person": (asks(users=["gone"]), ".params.candidates.users[0]"),
    "person_may_not_decide": (asks(users=["looker"]), ".params.candidates.users[0]"),
    "unpublished_workflow": ({"type": "subworkflow", "params": {"workflow": "later"}}, ".params.workflow"),
    "unknown_workflow": ({"type": "subworkflow", "params": {"workflow": "never"}}, ".params.workflow"),
    "unknown_field": (MAIL | {"colour": "red"}, ".colour"),
}
"""A step for each finding, and the field that it names."""


def at_top(step):
    return step, "nodes[0]"


def in_map(step):
    inner = {"id": "each", "type": "map", "params": {"items": "{{ [1] }}", "body": {"steps": [step]}}}
    return inner, "nodes[0].params.body.steps[0]"


def in_loop(step):
    return {"id": "again", "type": "loop", "params": {"count": 2, "body": {"steps": [step]}}}, (
        "nodes[0].params.body.steps[0]"
    )


def in_map_in_loop(step):
    inner, field = in_map(step)
    outer, place = in_loop(inner)
    return outer, field.replace("nodes[0]", place, 1)


def as_only_step_of_a_map(step):
    body = {key: value for key, value in step.items() if key != "id"}
    return {"id": "s", "type": "map", "params": {"items": "{{ [1] }}", "body": body}}, "nodes[0].params.body"


PLACES = (at_top, in_map, in_loop, in_map_in_loop, as_only_step_of_a_map)


@pytest.fixture
def boss():
    """An admin; ann is an author, looker only looks, gone is deactivated."""
    boss = member("boss", "admin")
    member("ann", "operator"), member("looker", "viewer"), member("gone", "operator")
    User.objects.filter(username="gone").update(is_active=False)
    make.GroupFactory(tenant=make.a_tenant(), name="Empty")
    make.a_workflow("later", make.graph(["a"], []) | {"name": "later"})
    return boss


def drafted(*steps, name="flow", **more):
    return make.a_workflow(name, {"name": name, "nodes": list(steps), "edges": [], **more})


def found(reader, name="flow"):
    return check_readiness(reader, name).findings


def one(findings, code):
    [finding] = [each for each in findings if each.code == code]
    return finding


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("code", FINDINGS)
def test_a_finding_names_its_step_and_field_wherever_the_step_stands(boss, code, place):
    step, field = FINDINGS[code]
    node, where = place({"id": "s", **step})
    drafted(node)
    readiness = check_readiness(boss, "flow")
    is_of_body = (code, place) == ("unknown_field", as_only_step_of_a_map)
    finding = one(readiness.findings, "bad_params" if is_of_body else code)
    assert (finding.node, finding.field) == ("s", where + field)
    assert finding.mend.title
    assert finding.mend.allowed
    assert readiness.is_ready == (finding.severity != "error")


@pytest.mark.parametrize("place", PLACES)
def test_steps_are_found_beside_an_error(boss, place):
    node, _ = place({"id": "s", **asks(groups=["Nobody at all"])})
    drafted(
        {"id": "broken", "type": "email.send", "params": 7}, node, {"type": "map", "params": {"body": []}}, 3
    )
    codes = {each.code for each in found(boss)}
    assert "unknown_group" in codes
    assert {each.severity for each in found(boss)} == {"error", "warning"}


def test_errors_come_first_and_a_draft_that_is_no_definition_is_not_ready(boss):
    drafted({"id": "a", **asks(groups=["Nobody at all"])}, {"id": "b", "type": "nothing"})
    severities = [each.severity for each in found(boss)]
    assert severities == sorted(severities)
    Workflow.unsafe_all_tenants.filter(name="flow").update(draft_definition={"name": "flow", "nodes": 3})
    assert not check_readiness(boss, "flow").is_ready


def test_a_draft_without_findings_is_ready(boss):
    drafted({"id": "a", "type": "noop"})
    readiness = check_readiness(boss, "flow")
    assert (readiness.findings, readiness.is_ready, readiness.version) == ([], True, 1)


class TestServices:
    def test_what_is_set_up_is_no_finding(self, boss, monkeypatch):
        drafted({"id": "a", **MAIL}, {"id": "b", **PROMPT})
        monkeypatch.setenv("HANDOFF_SMTP_URL", "smtp://127.0.0.1:25")
        monkeypatch.setenv("HANDOFF_LLM_URL", "http://127.0.0.1:11434/v1")
        assert "No model is named" in one(found(boss), "no_language_model").message
        monkeypatch.setenv("HANDOFF_LLM_MODEL", "small")
        assert {each.code for each in found(boss)} == {"no_edges"}

    def test_steps_that_lack_the_same_service_are_one_finding(self, boss):
        drafted(*({"id": f"m{number}", **MAIL} for number in range(8)))
        finding = one(found(boss), "no_mail_server")
        assert finding.node == "m0"
        assert "8 steps: `m0`, `m1`, `m2`, `m3`, `m4` and 3 more" in finding.message

    def test_it_says_what_becomes_of_the_mail(self, boss, monkeypatch):
        drafted({"id": "a", **MAIL})
        assert "written to the log" in one(found(boss), "no_mail_server").message
        monkeypatch.setattr(outside, "_logs_mail", False)
        assert "the step fails" in one(found(boss), "no_mail_server").message
        monkeypatch.setenv("HANDOFF_SMTP_URL", "smtp://me:s3cret@")
        message = one(found(boss), "no_mail_server").message
        assert "not set up correctly" in message
        assert "s3cret" not in message

    def test_a_text_step_needs_a_model_only_where_it_asks_one(self, boss):
        drafted(
            {"id": "a", "type": "text.summarize"},
            {"id": "b", "type": "text.summarize", "params": {"llm": True}},
        )
        assert one(found(boss), "no_language_model").node == "b"


class TestNames:
    def test_all_fields_with_names_are_read_and_expressions_are_not(self, boss):
        step = asks(manager_of="m-zzz")
        step["params"] |= {
            "exclude": ["x-zzz", "{{ input.who }}"],
            "quorum": {"groups": {"q-zzz": 1}},
            "escalation": [
                {"after_seconds": 60, "users": ["e-zzz"], "groups": ["g-zzz", "{{ input.group }}"]}
            ],
        }
        drafted({"id": "a", **step})
        fields = {each.field for each in found(boss) if each.code in ("unknown_person", "unknown_group")}
        place = "nodes[0].params."
        assert fields == {
            f"{place}candidates.manager_of",
            f"{place}exclude[0]",
            f"{place}quorum.groups",
            f"{place}escalation[0].users[0]",
            f"{place}escalation[0].groups[0]",
        }

    def test_case_makes_no_difference_and_another_tenants_names_are_unknown(self, boss):
        other = make.TenantFactory(slug="other")
        make.GroupFactory(tenant=other, name="Theirs")
        make.MembershipFactory(user__username="zoe", tenant=other, role="operator")
        drafted({"id": "a", **asks(users=["ANN", "zoe"], groups=["EMPTY", "Theirs"])})
        codes = [each.code for each in found(boss) if each.code != "asks_outside_folder"]
        assert codes == ["unknown_person", "empty_group", "unknown_group"]

    @pytest.mark.parametrize("place", PLACES)
    def test_a_misspelt_name_is_mended_by_one_press_wherever_it_stands(self, boss, place):
        member("dee", "approver", "Finance")
        node, _ = place({"id": "s", **asks(users=["an"], groups=["Finanse"])})
        drafted(node)
        for code, title in (("unknown_person", "Use ann"), ("unknown_group", "Use Finance")):
            finding = one(found(boss), code)
            assert (finding.mend.kind, finding.mend.title, finding.fix["title"]) == ("fix", title, title)

    def test_a_group_whose_members_decide_nothing_says_so(self, boss):
        member("vic", "viewer", "Lookers")
        drafted({"id": "a", **asks(groups=["Lookers"])})
        finding = one(found(boss), "empty_group")
        assert "no active member whose role decides tasks" in finding.message
        assert finding.mend.path.startswith("/settings/groups/")


class TestStarting:
    @pytest.fixture
    def closed(self, boss):
        """A workflow in a folder that lets authors edit and nobody but admins start."""
        folder = folders.create_folder(boss, "Closed", [Grant(("edit", "publish"), "author")])
        drafted({"id": "a", "type": "noop"})
        Workflow.unsafe_all_tenants.filter(name="flow").update(folder=folder)
        return folder

    def test_where_others_may_start_it_there_is_no_finding(self, boss):
        drafted({"id": "a", "type": "noop"})
        assert found(boss) == []

    def test_the_request_that_it_offers_lets_them(self, boss, closed):
        member("cy", "requester", "Sales")
        finding = one(found(boss), "nobody_may_start")
        assert [choice.title for choice in finding.mend.choices] == [
            "All requesters",
            "All operators",
            "The group Sales",
        ]
        assert (finding.mend.method, finding.mend.path) == ("PATCH", f"/api/v1/folders/{closed.pk}")
        grant = finding.mend.choices[2].body["grant"]
        folders.change_folder(boss, closed.pk, grant=Grant(tuple(grant["may"]), group=grant["group"]))
        assert found(boss) == []

    def test_who_may_not_grant_it_learns_who_can(self, boss, closed):
        author = member("al", "author")
        mend = one(found(author), "nobody_may_start").mend
        assert (mend.allowed, mend.people) == (False, ("boss",))

    def test_a_grant_to_nobody_active_does_not_count(self, boss, closed):
        make.GrantFactory(folder=closed, role="requester", verbs=["start"])
        assert one(found(boss), "nobody_may_start")

    def test_a_tenant_of_admins_alone_has_nobody_to_grant_it_to(self):
        boss = member("boss", "admin")
        drafted({"id": "a", "type": "noop"})
        FolderGrant.unsafe_all_tenants.all().delete()
        assert found(boss) == []


class TestRuns:
    def test_open_runs_on_all_older_versions_are_counted_and_moved_by_one_request(self, boss):
        wait = {"id": "w", "type": "wait", "params": {"seconds": 600}}
        workflow = drafted(wait)
        first = lifecycle.publish(boss, "flow").version
        make.start_version(first, {}, {})
        make.start_version(make.next_version(workflow, make.graph([wait, "b"], [])), {})
        finding = one(found(boss), "runs_on_older_versions")
        assert finding.message == "3 open runs stay on older versions: 1 on version 2, 2 on version 1."
        assert (finding.mend.after_publish, finding.mend.allowed) == (True, True)
        [choice] = finding.mend.choices
        assert choice.body == {"verb": "migrate", "query": 'workflow:"flow"', "version": 3}

    def test_a_draft_that_is_the_latest_version_already_leaves_its_runs_where_they_are(self, boss):
        drafted({"id": "w", "type": "wait", "params": {"seconds": 600}})
        make.start_version(lifecycle.publish(boss, "flow").version, {})
        readiness = check_readiness(boss, "flow")
        assert (readiness.version, list(readiness.findings)) == (1, [])

    @pytest.mark.parametrize("status", sorted(set(RunStatus) - RUN_ENDED))
    def test_only_runs_that_can_be_moved_are_to_be_moved(self, boss, status):
        wait = {"id": "w", "type": "wait", "params": {"seconds": 600}}
        workflow = drafted(wait)
        make.start_version(lifecycle.publish(boss, "flow").version, {})
        make.next_version(workflow, make.graph([wait, "b"], []))
        Run.unsafe_all_tenants.update(status=status)
        codes = [finding.code for finding in found(boss)]
        assert ("runs_on_older_versions" in codes) == (status in RUN_OPEN)

    def test_who_may_not_operate_learns_who_can(self, boss):
        author = member("al", "author")
        wait = {"id": "w", "type": "wait", "params": {"seconds": 600}}
        workflow = drafted(wait)
        make.start_version(lifecycle.publish(boss, "flow").version, {})
        Workflow.unsafe_all_tenants.filter(pk=workflow.pk).update(
            draft_definition=make.graph([wait, "b"], []) | {"name": "flow"}
        )
        mend = one(found(author), "runs_on_older_versions").mend
        assert (mend.allowed, mend.people) == (False, ("ann", "boss"))


def many(prefix, count):
    """So many steps of each kind, each of which names a group, a person and a workflow of its own."""
    kinds = [step for step, _ in FINDINGS.values() if "colour" not in step]
    for at in range(count):
        for number, step in enumerate(kinds):
            own, params = f"{prefix}{at}-{number}", dict(step["params"])
            if "candidates" in params:
                params["candidates"] = {"groups": [f"G-{own}", "Empty"], "users": ["ann", f"u-{own}"]}
                params["quorum"] = {"need": "all"}
            if "workflow" in params:
                params["workflow"] = make.a_workflow(own, make.graph(["a"], []) | {"name": own}).name
            yield {"id": own, **step, "params": params}


def test_the_check_reads_as_much_for_many_steps_as_for_few(boss):
    author = member("al", "author")
    counts = []
    for name, count in (("few", 1), ("many", 12)):
        drafted(*many(name, count), name=name)
        with watching() as seen:
            readiness = check_readiness(author, name)
        assert len(readiness.findings) > 10 * count
        counts.append(seen.trips)
    assert counts[0] == counts[1]


def test_names_that_are_near_are_searched_for_a_bounded_number_of_names(boss, monkeypatch):
    asked = []
    monkeypatch.setattr(names, "near_one", lambda name, _: asked.append(name))
    drafted(
        *({"id": f"s{at}-{again}", **asks(users=["ann", f"zz{at}"])} for at in range(60) for again in (1, 2))
    )
    unknown = [finding for finding in found(boss) if finding.code == "unknown_person"]
    assert len(unknown) == 120
    assert len(asked) == len(set(asked)) == 50


def test_who_may_not_read_it_learns_nothing(boss):
    drafted({"id": "a", "type": "noop"})
    folder = folders.create_folder(boss, "Closed", [])
    Workflow.unsafe_all_tenants.filter(name="flow").update(folder=folder)
    with pytest.raises(Missing):
        check_readiness(member("al", "author"), "flow")
