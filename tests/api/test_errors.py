"""Every error comes in the same envelope, whoever raised it."""

import logging

import psycopg
import pytest
from django.db import DataError, IntegrityError, InterfaceError, OperationalError
from django.test import Client

from tests.api.authorisation_matrix import METHODS
from tests.api.test_authorisation import assert_envelope
from workflows import queries

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("method", [*METHODS, "OPTIONS"])
@pytest.mark.parametrize(
    "path", ["/api/v1/nothing", "/api/", "/api/v1", "/api/v1/workflows/", "/api/v1/workflows/a b"]
)
def test_an_unknown_route_is_a_404_in_the_envelope(anonymous, method, path):
    assert_envelope(anonymous.generic(method, path), 404, "not_found")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS"])
def test_a_method_that_the_route_lacks_is_a_405(api, method):
    assert_envelope(api.generic(method, "/api/v1/workflows"), 405, "method_not_allowed")


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/xml", "multipart/form-data", "application/x-www-form-urlencoded", ""],
)
def test_another_content_type_is_a_415(api, content_type):
    answer = api.generic("POST", "/api/v1/workflows", b'{"name": "x"}', content_type=content_type)
    assert_envelope(answer, 415, "unsupported_media_type")


def test_json_may_say_its_charset(api):
    kind = "application/json; charset=utf-8"
    answer = api.generic("POST", "/api/v1/workflows", b'{"name": "x"}', content_type=kind)
    assert answer.status_code == 201


def test_an_answer_that_nobody_gives_is_a_406(api):
    assert_envelope(api.get("/api/v1/workflows", HTTP_ACCEPT="text/xml"), 406, "not_acceptable")


def test_a_body_that_is_too_large_is_a_413(api, settings):
    settings.HANDOFF_MAX_BODY_BYTES = 1000
    body = b'{"name": "' + b"x" * 2000 + b'"}'
    answer = api.generic("POST", "/api/v1/workflows", body, content_type="application/json")
    assert_envelope(answer, 413, "too_large")


@pytest.mark.parametrize("given", ["abc-123_X", "a" * 64])
def test_the_callers_request_id_is_kept(api, given):
    assert api.get("/api/v1/workflows", HTTP_X_REQUEST_ID=given).headers["X-Request-Id"] == given


@pytest.mark.parametrize("given", ["", "a" * 65, "a b", "<script>", "é"])
def test_a_strange_request_id_is_replaced(api, given):
    found = api.get("/api/v1/none", HTTP_X_REQUEST_ID=given)
    assert len(found.headers["X-Request-Id"]) == 32
    assert found.json()["request_id"] == found.headers["X-Request-Id"]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (DataError("22P05"), 400, "invalid"),
        (IntegrityError("23505"), 409, "conflict"),
        (OperationalError("gone"), 503, "unavailable"),
        (InterfaceError("closed"), 503, "unavailable"),
        (psycopg.errors.NumericValueOutOfRange("22003"), 400, "invalid"),
        (psycopg.errors.UniqueViolation("23505"), 409, "conflict"),
        (psycopg.errors.AdminShutdown("57P01"), 503, "unavailable"),
        (RecursionError(), 400, "too_deep"),
        (KeyError("secret"), 500, "internal_error"),
    ],
)
def test_what_is_not_foreseen_is_logged_under_an_incident_and_tells_nothing(
    api, monkeypatch, caplog, error, status, code
):
    def fail(*_args, **_more):
        raise error

    monkeypatch.setattr(queries, "get_workflow", fail)
    with caplog.at_level(logging.ERROR, "handoff.api"):
        answer = api.get("/api/v1/workflows/any")
    assert_envelope(answer, status, code)
    incident = answer.json()["error"]["details"]["incident"]
    assert incident in caplog.text
    assert "secret" not in answer.text
    assert ("Retry-After" in answer.headers) == (status == 503)


@pytest.mark.parametrize(
    ("error", "is_traced"),
    [
        (psycopg.errors.AdminShutdown("57P01"), False),
        (psycopg.errors.DeadlockDetected("40P01"), True),
        (psycopg.errors.QueryCanceled("57014"), True),
    ],
)
def test_only_a_database_that_is_away_leaves_no_trace(api, monkeypatch, caplog, error, is_traced):
    def fail(*_args, **_more):
        raise error

    monkeypatch.setattr(queries, "get_workflow", fail)
    assert_envelope(api.get("/api/v1/workflows/any"), 503, "unavailable")
    (record,) = [record for record in caplog.records if record.name == "handoff.api"]
    assert bool(record.exc_info) == is_traced


def test_all_wrong_fields_are_named_at_once(api):
    answer = api.post("/api/v1/workflows", {"name": 1, "title": True, "what": 1})
    assert_envelope(answer, 400)
    faults = answer.json()["error"]["details"]["errors"]
    assert {fault["field"] for fault in faults} == {"name", "title", "what"}
    assert {fault["field"]: fault["code"] for fault in faults}["what"] == "unknown_field"


def test_an_unknown_page_is_a_page(client, people):
    client.force_login(people.member("admin"))
    answer = client.get("/nothing")
    assert answer.status_code == 404
    assert "There is nothing here" in answer.text


def test_django_errors_below_api_are_in_the_envelope_too():
    answer = Client(raise_request_exception=False).get("/api/v1/workflows", HTTP_HOST="evil.example")
    assert_envelope(answer, 400, "bad_request")


def test_an_error_of_ours_is_one_line_of_the_log(api, monkeypatch, caplog):
    """While the database is away each request comes by here."""

    def away(*_):
        raise OperationalError("gone")

    monkeypatch.setattr(queries, "get_workflow", away)
    assert api.get("/api/v1/workflows/any").status_code == 503
    (record,) = caplog.records
    assert record.name == "handoff.api"
