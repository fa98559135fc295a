"""The examples: published once, runnable with their samples, and done by the worker beside them."""

import importlib.util
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from accounts.models import User
from accounts.queries import command_principal
from accounts.services import ensure_admin, ensure_default_tenant
from engine.validate import validate
from steps.catalogue import CATALOGUE
from tasks_inbox.actions.deciding import complete_task
from tasks_inbox.actions.decision import Decision
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import read
from triggers.schedules.models import Schedule
from workflows import queries
from workflows.models import Workflow, WorkflowVersion
from workflows.pipeline import rules
from workflows.versions.examples import examples

WORKER = Path(__file__).resolve().parents[2] / "docs" / "examples" / "tissue_worker.py"
COMPLIANCE = ["vendor_onboarding", "access_request", "policy_attestation"]
NAMES = [
    *COMPLIANCE,
    "article-digest",
    "order-check",
    "tissue-analysis",
    "topic-lookup",
    "order_fulfillment",
    "credit_score",
    "monday_report",
    "employee_onboarding",
    "open_account",
    "digest_list",
]


def definition(name):
    return next(example.definition for example in examples() if example.name == name)


def load() -> None:
    call_command("load_examples", stderr=StringIO())


# Nothing is summed up where the payment, the warehouses or compliance have stopped the order: that is meant.
MEANT = {("order_fulfillment", "done", "join_may_not_fire")}


def test_each_example_is_sound_and_says_what_it_shows():
    assert [example.name for example in examples()] == NAMES
    for example in examples():
        problems = validate(example.definition, CATALOGUE)
        assert {(example.name, problem.node, problem.code) for problem in problems} <= MEANT
        assert example.title
        assert len(example.description) > 40
        assert example.definition["metadata"]["sample_input"]


def test_the_text_pipeline_opens_in_the_form():
    steps = rules.from_definition(definition("article-digest")).steps
    assert [step.type for step in steps] == ["text.clean", "text.summarize", "text.keywords", "text.tag"]


@pytest.mark.django_db
def test_the_first_start_publishes_them_and_no_later_one_does():
    ensure_admin("a long password")
    tenant = ensure_default_tenant().pk
    load()
    assert sorted(Workflow.objects.for_tenant(tenant).values_list("name", flat=True)) == sorted(NAMES)
    published = WorkflowVersion.objects.for_tenant(tenant).values_list("workflow__name", flat=True)
    # Of one person, nobody can ask two.
    assert set(published) == {*NAMES} - {"vendor_onboarding", "access_request"}
    first = queries.listed_workflows(command_principal("admin", "default")).values_list("name", flat=True)[:3]
    assert list(first) == COMPLIANCE
    assert all(queries.get_workflow(tenant, name).draft_layout["notes"] for name in COMPLIANCE)
    schedule = Schedule.objects.for_tenant(tenant).select_related("calendar").get()
    assert (schedule.workflow.name, schedule.enabled, schedule.calendar.name) == (
        "monday_report",
        False,
        "Office days",
    )
    Workflow.objects.for_tenant(tenant).exclude(name="order-check").update(archived_at="2026-01-01T00:00Z")
    load()
    assert Workflow.objects.for_tenant(tenant).count() == len(NAMES)


@pytest.mark.django_db
def test_where_somebody_has_a_workflow_already_nothing_is_made():
    ensure_admin("a long password")
    make.a_version(make.chain("noop"), tenant=ensure_default_tenant())
    load()
    assert Workflow.objects.for_tenant(ensure_default_tenant().pk).count() == 1


@pytest.mark.django_db
def test_without_an_admin_nothing_is_made():
    load()
    assert not User.objects.exists()
    assert not Workflow.objects.for_tenant(ensure_default_tenant().pk).exists()


@pytest.mark.django_db
def test_the_article_is_digested():
    given = definition("article-digest")
    output = outcome(given, given["metadata"]["sample_input"])
    assert output["category"] == "Environment"


@pytest.mark.django_db
def test_a_list_of_articles_is_digested_without_what_can_not_be_read():
    given = definition("digest_list")
    articles = [*given["metadata"]["sample_input"]["articles"], {"title": "Empty", "text": ""}]
    output = outcome(given, {"articles": articles * 2})
    assert output["left_out"] in (0, 2)
    assert [one["title"] for one in output["digests"]][:3] == [one["title"] for one in articles[:3]]
    assert all(one["digest"] for one in output["digests"][:3])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("total", "kind"), [(1250, "premium"), (12.5, "standard"), (0, "invalid"), (-1, "invalid")]
)
def test_an_order_takes_one_way(total, kind):
    assert outcome(definition("order-check"), {"order": "A-1", "total": total})["kind"] == kind


def test_the_worker_does_each_job_of_the_tissue_analysis(monkeypatch):
    monkeypatch.setenv("HANDOFF", "http://nowhere")
    monkeypatch.setenv("TOKEN", "none")
    spec = importlib.util.spec_from_file_location("tissue_worker", WORKER)
    worker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(worker)
    analysis = definition("tissue-analysis")
    value = analysis["metadata"]["sample_input"]
    for node in analysis["nodes"]:
        value = worker.STEPS[node["id"]](value, node.get("params", {}))
    assert value["report"].startswith("slide-17.tiff: ")


@pytest.mark.django_db
def test_an_onboarding_begins_a_run_for_each_system_and_tells_what_came_of_them():
    ensure_admin("a long password")
    tenant = ensure_default_tenant().pk
    load()
    version = queries.latest_version(tenant, "employee_onboarding")
    (run_id,) = make.start_version(version, {"person": "Lea Vogt", "starts_on": "2027-03-01"}, by="admin")
    make.work()
    boss = command_principal("admin", "default")
    for task, outcome in zip(
        ManualTask.objects.for_tenant(tenant).order_by("title"), ("approved", "rejected"), strict=True
    ):
        complete_task(boss, task.pk, Decision(outcome, comment="So be it.", seen=read(boss, task)))
    make.work()
    assert make.run(run_id).output == {
        "ticket": "Lea Vogt begins on 2027-03-01",
        "mail": "Lea Vogt in Mail",
        "wiki": None,
    }


def outcome(definition, given):
    """What a run of it gives in the end."""
    run_id = make.start(definition, given)[0]
    make.work()
    run = make.run(run_id)
    assert run.status == "COMPLETED", run.error
    return run.output
