"""Definitions by the rochallor API: an upload is published, a list has the latest, nothing of a document is lost."""

import pytest

from accounts.models import Tenant
from tests import factories as make
from tests import rochallor
from tests.integrations.rochallor.conftest import WHO
from tests.store.watching import watching
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


def test_an_upload_is_published(engine):
    made = engine.upload(rochallor.LINEAR)
    assert (made["id"], made["version"], made["name"]) == ("flow", 1, "A flow")
    assert made["uploadedAt"].endswith("Z")


def test_the_same_again_is_the_same_version_and_another_the_next_one(engine):
    engine.upload(rochallor.LINEAR)
    assert engine.upload(rochallor.LINEAR)["version"] == 1
    assert engine.upload(rochallor.DECISION)["version"] == 2
    assert engine.upload(rochallor.LINEAR)["version"] == 3


def test_a_definition_comes_back_as_it_was_given(engine):
    document = rochallor.DECISION | {"metadata": {"owner": "Ann", "nested": {"a": [1, None]}}}
    engine.upload(document)
    given = engine.get("definitions/flow")
    assert given == {"id": "flow", "version": 1, **document}
    route = next(one for one in given["steps"] if one["id"] == "route")
    asked = next(one for one in document["steps"] if one["id"] == "route")
    assert list(route["conditionalNextSteps"]) == list(asked["conditionalNextSteps"])


def test_versions_stay_and_the_latest_has_no_number_in_its_address(engine):
    engine.upload(rochallor.LINEAR)
    engine.upload(rochallor.DECISION)
    assert engine.get("definitions/flow/versions/1")["steps"] == rochallor.LINEAR["steps"]
    assert engine.get("definitions/flow")["version"] == 2


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("definitions/none", 404, "not-found"),
        ("definitions/flow/versions/9", 404, "not-found"),
        ("definitions/flow/versions/0", 404, "not-found"),
        ("definitions/flow/versions/999999999", 404, "not-found"),
        ("definitions/flow/versions/x", 400, "bad-request"),
        ("definitions/%F0%9F%98%80", 404, "not-found"),
    ],
)
def test_what_there_is_not(linear, path, status, code):
    answer = linear.get(path, status)
    assert set(answer) == {"error", "reason"}
    assert answer["error"] == code


def test_an_id_may_have_colons_and_be_escaped(engine):
    engine.upload(rochallor.LINEAR | {"id": "LOS::loan"})
    assert engine.get("definitions/LOS%3A%3Aloan")["id"] == "LOS::loan"


def test_all_that_is_wrong_is_told(engine):
    bad = rochallor.document(
        rochallor.step("a", "SERVICE_TASK", nextStep="nowhere", colour="red"), sort="new"
    )
    reason = engine.post("definitions", bad, 400)["reason"]
    assert reason.startswith("validation error: ")
    for word in ("sort", "colour", "nowhere", "jobType"):
        assert word in reason


@pytest.mark.parametrize("raw", [b"", b"null", b"[]", b"{", b'{"id": "a", "id": "b"}', b"\xff", b'"x"'])
def test_what_is_no_object_is_a_bad_request(engine, raw):
    answer = engine.client.generic("POST", "/v1/definitions", data=raw)
    assert answer.status_code == 400
    assert answer.json()["error"] == "bad-request"


@pytest.mark.parametrize("kind", ["application/xml", "text/xml; charset=utf-8"])
def test_xml_is_an_unsupported_format(engine, kind):
    answer = engine.client.generic("POST", "/v1/definitions", data=b"<a/>", content_type=kind)
    assert answer.status_code == 415
    assert answer.json()["error"] == "unsupported-format"


def test_a_list_has_the_latest_of_each_by_id(engine):
    assert engine.get("definitions") == {"items": None, "total": 0}
    for name in ("b", "a", "c"):
        engine.upload(rochallor.LINEAR | {"id": name, "name": f"Called {name}"})
    engine.upload(rochallor.DECISION | {"id": "b", "name": "Called b"})
    page = engine.get("definitions?page=0&pageSize=2")
    assert page["total"] == 3
    assert [(one["id"], one["version"]) for one in page["items"]] == [("a", 1), ("b", 2)]
    assert [one["id"] for one in engine.get("definitions?page=1&pageSize=2")["items"]] == ["c"]
    assert [one["id"] for one in engine.get("definitions?keyword=LED%20C")["items"]] == ["c"]
    assert engine.get("definitions?page=-1&pageSize=x&keyword=%00")["total"] == 3


def test_a_list_asks_the_same_for_one_as_for_many(engine):
    engine.upload(rochallor.LINEAR)
    with watching() as few:
        engine.get("definitions")
    for name in "abcd":
        engine.upload(rochallor.LINEAR | {"id": name})
    with watching() as many:
        engine.get("definitions")
    assert many.trips == few.trips == WHO + 3


def test_a_draft_is_no_definition(engine):
    make.a_workflow("native", make.chain("noop"), tenant=Tenant.objects.get(slug="default"))
    drafts = Workflow.unsafe_all_tenants.filter(name="native")
    assert drafts.exists()
    engine.get("definitions/native", 404 if not drafts.get().versions.exists() else 409)


def test_an_archived_one_takes_no_upload(linear):
    Workflow.unsafe_all_tenants.update(archived_at="2030-01-01T00:00:00Z")
    assert linear.post("definitions", rochallor.LINEAR, 409)["error"] == "conflict"
