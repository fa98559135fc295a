"""What the palette and the gallery offer ready made, put in place by mouse and published: every outcome of each leads
where the canvas says.
"""

from collections.abc import Iterator, Mapping

import pytest
from django.db.models.functions import Now
from playwright.sync_api import expect

from accounts.models import Group, Membership, User
from accounts.queries import member_principal
from accounts.services import set_password
from engine.catalogue import Json
from engine.ports import port_of
from lib.refusals import Refusal
from runs.commands.starts import NewRun, Terms, start_runs
from runs.kernel.graphs import graph_of
from runs.models import Timer
from tasks_inbox.actions import deciding
from tasks_inbox.actions.decision import Decision
from tasks_inbox.evidence import presentation
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.web.builder import Builder
from workflows.design.snippets import snippets
from workflows.models import WorkflowVersion
from workflows.versions.examples import examples

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
PASSWORD = "a long password"
DECIDERS = {"admin": "admin", "bob": "admin", "cat": "approver", "dan": "approver", "eve": "operator"}
MOST_PATHS = 40
SENT, FAILED = "sent", "failed"
ASKING = [
    one.name
    for one in examples()
    if (types := {node["type"] for node in one.definition["nodes"]}) & {"human.approval", "human.form"}
    # Those that wait for workers are played by their own tests.
    and "job" not in types
]

Path = tuple[tuple[str, str], ...]


@pytest.fixture
def author(visitor, ann):
    """Ann in the builder as an author, and people who may decide whatever is asked."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    for name, role in DECIDERS.items():
        make.MembershipFactory(user__username=name, role=role)
    for name in DECIDERS:
        set_password(User.objects.get(username=name), PASSWORD)
    visitor.page.emulate_media(reduced_motion="reduce")
    return visitor


def join_all_groups() -> None:
    """Everybody who decides is in each group that there is."""
    tenant = make.a_tenant().pk
    for group in Group.objects.for_tenant(tenant):
        for seat in Membership.objects.for_tenant(tenant).filter(user__username__in=DECIDERS):
            make.GroupMemberFactory(membership=seat, group=group)


def published(author, name: str) -> int:
    """The version that is published by mouse; gives its id."""
    page = author.page
    page.get_by_role("button", name="Publish", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()
    expect(page.locator(".said")).to_contain_text("Published as version 1.")
    versions = WorkflowVersion.objects.for_tenant(make.a_tenant().pk)
    return versions.get(workflow__name=name, number=1).pk


def filled(schema: Mapping[str, Json] | None) -> Json:
    """A value that a form takes."""
    if schema is None:
        return None
    if "enum" in schema:
        return schema["enum"][0]
    if "oneOf" in schema:
        return schema["oneOf"][0].get("const", filled(schema["oneOf"][0]))
    kind = schema.get("type")
    kind = next(one for one in kind if one != "null") if isinstance(kind, list) else kind
    match kind:
        case "object":
            return {name: filled(one) for name, one in schema.get("properties", {}).items()}
        case "array":
            return [filled(schema.get("items", {}))]
        case "boolean":
            return True
        case "integer" | "number":
            return schema.get("minimum", 1)
    by_format = {"date": "2027-01-01", "email": "a@example.com", "uri": "https://example.com"}
    return by_format.get(schema.get("format", ""), "text that is long enough")


def decide(task: ManualTask, outcome: str) -> None:
    """Whoever may decides it."""
    signs = next(one for one in task.outcomes if one["name"] == outcome).get("sign")
    why = []
    for name in ("ann", *DECIDERS):
        who = member_principal(task.tenant_id, name, "session")
        seen = presentation.hash_of(task, name)
        decision = Decision(outcome, filled(task.form), "So it is.", seen=seen)
        try:
            deciding.complete_task(who, task.pk, decision, password=PASSWORD if signs else None)
        except Refusal as refusal:
            why.append(refusal.message)
            continue
        return
    raise AssertionError(why)


def ways_on(run: str) -> Iterator[tuple[str, str]]:
    """The ways in which the step can end that a run waits for."""
    make.work()
    task = ManualTask.objects.for_tenant(make.a_tenant().pk).filter(run_id=run, status="OPEN").first()
    if task is not None:
        yield from ((task.node, one["name"]) for one in task.outcomes)
        return
    for node, step in make.steps(run).items():
        if (step.status, step.type) == ("WAITING", "signal") or (step.queue, step.status) == (
            "blocking",
            "QUEUED",
        ):
            yield from ((node, SENT), (node, FAILED))
            return
    assert make.run(run).completed_at is not None, make.statuses(run)


def go(run: str, node: str, way: str) -> None:
    """The step ends in this way."""
    step = make.steps(run)[node]
    if step.type.startswith("human."):
        decide(ManualTask.objects.for_tenant(step.tenant_id).get(run_id=run, node=node, status="OPEN"), way)
    elif step.type == "signal":
        wait = step.waiting
        if way == SENT:
            make.send(run, wait["name"], {"text": "yes"})
        else:
            Timer.unsafe_all_tenants.filter(run_id=run, status="PENDING").update(fire_at=Now())
            make.tick()
    else:
        claims = make.claimed("blocking")
        if way == SENT:
            make.complete(*claims, output={"status": 200, "headers": {}, "body": {"ok": True}, "text": "ok"})
        else:
            make.fail(*claims)


def leads_as_shown(version: int, run: str, path: Path) -> None:
    """What follows the chosen ways has been done, and what only others lead to has not."""
    graph, statuses = graph_of(version), make.statuses(run)
    taken, others = set(), set()
    for name, way in path:
        node, output = graph.nodes[name], make.steps(run)[name].output
        if node.spec.asks_people:
            port = port_of(node.edges, output["branch"])
            follows = {edge.target for edge in (*port.takes, *port.may_take)}
        else:
            follows = {edge.target for edge in (node.error_edges if way == FAILED else node.edges)}
        taken |= follows
        others |= set(node.targets) - follows
    assert all(statuses[name] == "COMPLETED" for name in taken), (path, statuses)
    assert all(statuses[name] == "SKIPPED" for name in others - taken), (path, statuses)


def each_outcome(version: int, run_input: Json) -> int:
    """Take each way through runs of the version; gives how many there are."""
    terms = Terms(tenant=make.a_tenant().pk, version=version, by="ann")
    paths: list[Path] = [()]
    ends = 0
    while paths:
        path = paths.pop()
        (started,) = start_runs(terms, [NewRun(run_input)], if_exists="new_if_ended")
        run = started.id
        for node, way in path:
            list(ways_on(run))
            go(run, node, way)
        further = [(*path, way) for way in ways_on(run)]
        paths += further
        if further:
            # A business key stands for one open run.
            make.cancel(run)
        else:
            ends += 1
            assert ends <= MOST_PATHS
            assert make.run(run).status == "COMPLETED", (path, make.run(run).error)
            leads_as_shown(version, run, path)
    return ends


@pytest.mark.parametrize("snippet", snippets(), ids=lambda one: one["name"])
def test_a_group_of_the_palette_leads_where_it_says(author, snippet):
    make.a_workflow("made", {"name": "made", "nodes": [], "edges": []})
    builder = Builder(author, "made")
    builder.page.get_by_role("tab", name="Add a step").click()
    builder.page.locator(".palette-group", has=builder.page.get_by_text(snippet["title"], exact=True)).click()
    assert len(builder.saved()["nodes"]) == len(snippet["nodes"])
    ends = {node["id"] for node in snippet["nodes"]} - {edge["from"] for edge in snippet["edges"]}

    assert each_outcome(published(author, "made"), {"text": "Some text. And more."}) >= len(ends)


@pytest.mark.parametrize("name", ASKING)
def test_an_example_leads_where_it_says(author, name):
    example = next(one for one in examples() if one.name == name)
    page = author.page
    author.open("/workflows/examples")
    page.get_by_role("button", name=f"Take {example.title}").click()
    page.wait_for_url(f"**/workflows/{name}/")
    join_all_groups()
    versions = WorkflowVersion.objects.for_tenant(make.a_tenant().pk).filter(workflow__name=name)
    version = versions.values_list("pk", flat=True).first()
    if version is None:
        author.open(f"/workflows/{name}/edit")
        version = published(author, name)

    assert each_outcome(version, example.definition["metadata"]["sample_input"]) >= 1
