"""Who asks at the rochallor API: a token as Bearer or Basic, anybody where a tenant is open, and else nobody."""

import base64
from ipaddress import ip_network

import pytest

from accounts import folders
from accounts.models import Tenant, User
from integrations.rochallor.callers import OPEN_SCOPES, OPEN_SECONDS, open_actor
from lib.refusals import Missing
from lib.uuid7 import uuid7
from runs.models import Run
from tests import factories as make
from tests import rochallor
from tests.integrations.rochallor.conftest import Engine
from tests.store.watching import watching
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


def basic(text):
    return f"Basic {base64.b64encode(text.encode()).decode()}"


def test_nobody_comes_in_without_a_word_by_default(people):
    answer = Engine().client.get("/v1/instances")
    assert answer.status_code == 401
    assert answer.json()["error"] == "unauthenticated"
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_token_is_taken_as_bearer_and_as_a_password(people):
    token = people.token("admin")
    client = Engine().client
    for shown in (f"Bearer {token}", basic(f"worker:{token}"), basic(f"{token}:"), basic(token)):
        assert client.get("/v1/instances", headers={"Authorization": shown}).status_code == 200


@pytest.mark.parametrize(
    "shown", ["Bearer x", "Bearer", basic("a:b"), "Basic !", "Basic w6k=", "Digest x", "x"]
)
def test_a_bad_word_is_refused_also_where_a_tenant_is_open(engine, shown):
    answer = engine.client.get("/v1/instances", headers={"Authorization": shown})
    assert answer.status_code == 401
    assert answer.json()["error"] == "unauthenticated"


def test_what_is_open_is_not_the_rest(engine):
    for path in (f"/v1/workflows/{uuid7()}", "/api/v1/runs", "/api/v1/me", "/api/v1/tokens"):
        assert engine.client.get(path).status_code == 401, path
    poll = {"workerId": "w", "taskQueue": "a"}
    answer = engine.client.post("/v1/activities/poll", poll, content_type="application/json")
    assert answer.status_code == 401
    poll = {"worker_id": "w", "queues": ["a"], "max_jobs": 1}
    assert engine.client.post("/api/v1/jobs/poll", poll, content_type="application/json").status_code == 401


def test_who_is_anybody_reaches_the_folder_of_uploads_and_no_other(linear):
    tenant = Tenant.objects.get(slug="default")
    instance = linear.start()
    other = make.FolderFactory(tenant=tenant)
    Workflow.objects.for_tenant(tenant.pk).filter(name="flow").update(folder=other)
    linear.get("definitions/flow", 404)
    linear.get(f"instances/{instance}", 404)
    linear.post(f"instances/{instance}/cancel", {}, 404)
    linear.post("instances", {"definitionId": "flow"}, 404)
    linear.post("definitions", rochallor.LINEAR, 404)
    assert linear.get("definitions")["items"] is None
    assert linear.get("instances") == {"items": None, "total": 0}
    assert linear.get(f"instances/{instance}/history") == {"items": None}


def test_who_is_anybody_gets_jobs_of_the_folder_of_uploads_alone(linear):
    tenant = Tenant.objects.get(slug="default")
    linear.start()
    [held] = linear.poll("a")
    linear.start()
    other = make.FolderFactory(tenant=tenant)
    Workflow.objects.for_tenant(tenant.pk).filter(name="flow").update(folder=other)
    assert linear.poll("a") == []
    linear.post(f"jobs/{held['id']}/complete", {"workerId": "w"}, 404)
    linear.post(f"jobs/{held['id']}/fail", {"workerId": "w"}, 404)
    Workflow.objects.for_tenant(tenant.pk).filter(name="flow").update(
        folder=folders.default_folder(tenant.pk)
    )
    assert len(linear.poll("a")) == 1
    linear.complete(held)


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        ("::ffff:127.0.0.1", {}, 200),
        ("192.0.2.1", {}, 401),
        ("", {}, 401),
        ("127.0.0.1", {"X-Forwarded-For": "192.0.2.1"}, 401),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, 401),
        ("127.0.0.1", {"Forwarded": "for=192.0.2.1"}, 401),
        ("192.0.2.1", {"X-Forwarded-For": "127.0.0.1"}, 401),
        ("127.0.0.1", {"Origin": "https://modeller.example"}, 401),
        ("127.0.0.1", {"Origin": "null"}, 401),
        ("127.0.0.1", {"Origin": "http://[::1"}, 401),
        ("127.0.0.1", {"Origin": "http://localhost:5173"}, 200),
        ("127.0.0.1", {"Origin": "http://[::1]:5173"}, 200),
    ],
)
def test_who_is_anybody_is_on_this_machine_unless_the_settings_say_anywhere(
    engine, settings, address, headers, status
):
    def asked():
        return engine.client.get("/v1/instances", REMOTE_ADDR=address, headers=headers)

    assert asked().status_code == status
    settings.HANDOFF_V1_OPEN_ANYWHERE = True
    assert asked().status_code == 200


def test_a_proxy_on_this_machine_that_is_trusted_says_who_asks(engine, settings):
    settings.HANDOFF_TRUSTED_PROXIES = (ip_network("127.0.0.1/32"),)
    for client, status in (
        ("192.0.2.1", 401),
        ("127.0.0.5", 200),
        ("127.0.0.5, 192.0.2.1", 401),
        ("unknown", 401),
        ("", 401),
        ("unknown, 127.0.0.1", 401),
    ):
        answer = engine.client.get("/v1/instances", headers={"X-Forwarded-For": client})
        assert answer.status_code == status, client


def test_with_a_token_everywhere_is_as_good(people, settings):
    settings.HANDOFF_V1_OPEN_TENANT = "default"
    client = Engine(people.token("admin")).client
    assert client.get("/v1/instances", REMOTE_ADDR="192.0.2.1").status_code == 200


def test_who_is_anybody_starts_by_a_computed_name_what_is_in_the_folder_of_uploads(engine):
    tenant = Tenant.objects.get(slug="default")
    step = {"id": "a", "type": "subworkflow", "params": {"workflow": "{{ input.w }}"}}
    for name, nodes in (("parent", [step]), ("open", ["x"]), ("secret", ["x"])):
        make.VersionFactory(
            workflow__tenant=tenant, workflow__draft_definition=make.graph(nodes, []) | {"name": name}
        )
    other = make.FolderFactory(tenant=tenant)
    Workflow.objects.for_tenant(tenant.pk).filter(name="secret").update(folder=other)
    runs = {name: engine.start("parent", variables={"w": name}) for name in ("open", "secret", "nobody")}
    make.work("engine")
    make.work()
    assert make.run(runs["open"]).status == "COMPLETED"
    for name in ("secret", "nobody"):
        error = make.run(runs[name]).error
        assert error["details"] == {"reason": "not_allowed"}
        assert error["message"] == f"There is no workflow {name} that this run may start."


def test_who_is_anybody_is_a_service_without_a_login(engine):
    actor = open_actor("default")
    assert actor.is_service
    assert actor.scopes == OPEN_SCOPES
    user = User.objects.get(pk=actor.user_id)
    assert user.is_service
    assert not user.has_usable_password()
    assert Run.unsafe_all_tenants.count() == 0


@pytest.mark.django_db(transaction=True)
def test_who_is_anybody_is_asked_anew_after_seconds(people, monkeypatch):
    people.token("admin", tenant="opened")
    tenant, now = Tenant.objects.get(slug="opened"), [1000.0]
    monkeypatch.setattr(open_actor, "_clock", lambda: now[0])
    monkeypatch.setattr(open_actor, "_kept", {})
    first = folders.default_folder(tenant.pk)
    assert set(open_actor("opened").reach.verbs_of) == {first.pk}
    folders.folders_of(tenant.pk).filter(pk=first.pk).update(is_default=False)
    other = make.FolderFactory(tenant=tenant, name="Other", is_default=True)
    with watching() as seen:
        assert set(open_actor("opened").reach.verbs_of) == {first.pk}
    assert seen.trips == 0
    now[0] += OPEN_SECONDS
    assert set(open_actor("opened").reach.verbs_of) == {other.pk}
    Tenant.objects.filter(pk=tenant.pk).update(slug="closed")
    now[0] += OPEN_SECONDS
    with pytest.raises(Missing):
        open_actor("opened")


def test_a_tenant_that_there_is_not_is_no_door(engine, settings):
    settings.HANDOFF_V1_OPEN_TENANT = "none"
    assert engine.get("instances", 404)["error"] == "not-found"


def test_another_tenants_instances_are_not_there(people):
    ours, theirs = Engine(people.token("admin")), Engine(people.token("admin", tenant="theirs"))
    ours.upload(rochallor.LINEAR)
    instance = ours.start()
    [job] = ours.poll("a")
    theirs.get("definitions/flow", 404)
    theirs.get(f"instances/{instance}", 404)
    assert theirs.get(f"instances/{instance}/history") == {"items": None}
    theirs.post(f"instances/{instance}/cancel", {}, 404)
    assert theirs.poll("b") == []
    # It was handed out once, so nobody is refused: nothing becomes of it.
    theirs.complete(job)
    theirs.fail(job)
    assert ours.history(instance) == [("a", "RUNNING")]


def test_a_browser_of_anywhere_may_ask(engine, settings):
    client = engine.client
    asked = client.options("/v1/instances", headers={"Origin": "https://modeller.example"})
    assert asked.status_code == 204
    assert asked.headers["Access-Control-Allow-Origin"] == "*"
    assert "POST" in asked.headers["Access-Control-Allow-Methods"]
    assert client.get("/v1/instances").headers["Access-Control-Allow-Origin"] == "*"
    settings.HANDOFF_V1_OPEN_TENANT = ""
    refused = client.get("/v1/instances")
    assert (refused.status_code, refused.headers["Access-Control-Allow-Origin"]) == (401, "*")
    assert "Access-Control-Allow-Origin" not in client.options("/api/v1/runs").headers


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/none", 404),
        ("DELETE", "/v1/instances", 405),
        ("GET", "/v1/jobs/poll", 405),
        ("GET", "/v1/definitions/a/b", 404),
    ],
)
def test_what_is_no_route_is_answered_in_json(engine, method, path, status):
    answer = engine.client.generic(method, path)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/json"
    assert "error" in answer.json()
