"""Bad input on every door is a 4xx that says where, never a 500 (docs/security.md, "One JSON gate")."""

import json

import orjson
import pytest
from hypothesis import given

from tests.api.authorisation_matrix import MATRIX, address
from tests.api.making_up import bodies, json_values, made_up, tried
from tests.api.test_authorisation import API_DOORS, assert_envelope
from tests.definitions import chain
from tests.families import shown

pytestmark = pytest.mark.django_db
# Its body is a file, whatever that is.
TAKES_BYTES = {"api-files", "api-task-files"}
WRITES = sorted(
    (name, method) for name, method, _scope in API_DOORS if method != "GET" and name not in TAKES_BYTES
)
# The rochallor API answers in its words, and leaves alone what it doesn't know (tests/integrations/rochallor).
STRICT = [(name, method) for name, method in WRITES if not name.startswith("s4-")]


def send(api, name, method, raw):
    path = address(name, **api.ids)
    return api.generic(method, path, raw, content_type="application/json", **MATRIX[name].headers)


BROKEN = [
    (b"{", None),
    (b"nonsense", None),
    (b"\xff\xfe", None),
    (b'\xef\xbb\xbf{"reason": "x"}', None),
    ('{"reason": "x"}'.encode("utf-16"), None),
    (b'{"reason": "x"} trailing', None),
    (b'{"reason": NaN}', "reason"),
    (b'{"reason": 1e999}', "reason"),
    (b'{"reason": 9007199254740993}', "reason"),
    (b'{"reason": "a\\u0000b"}', "reason"),
    (b'{"reason": "\\ud800"}', "reason"),
    (b'{"reason": "x", "reason": "y"}', "reason"),
    (b'{"reason": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "reason" + "[0]" * 63),
    (b'{"reason": ' + b'{"a":' * 1000 + b"1" + b"}" * 1000 + b"}", "reason" + ".a" * 63),
]
# None of them would stop another reader of JSON.
LENIENTLY_READ = [
    (raw, field) for raw, field in BROKEN if b"NaN" in raw or b"e999" in raw or raw.count(b"reason") == 2
]


def refuses(api, name, method, cases):
    for raw, field in cases:
        answer = send(api, name, method, raw)
        assert_envelope(answer, 400, "bad_json")
        assert answer.json()["error"]["field"] == field, raw[:40]


@pytest.mark.parametrize(("name", "method"), STRICT)
def test_every_door_reads_json_strictly_and_says_where_it_is_no_good(ours, name, method):
    refuses(ours, name, method, LENIENTLY_READ)


@pytest.mark.parametrize("name", ["api-runs", "api-workflows"])
def test_what_is_no_good_json_is_a_400_that_says_where(ours, name):
    refuses(ours, name, "POST", BROKEN)


@pytest.mark.parametrize(("name", "method"), STRICT)
def test_what_is_no_object_is_a_400(ours, name, method):
    for body in ([], "text", None):
        answer = send(ours, name, method, orjson.dumps(body))
        assert_envelope(answer, 400)
        assert answer.json()["error"]["field"] is None
        assert answer.json()["error"]["message"] == "The body must be a JSON object."


@pytest.mark.parametrize(
    ("charset", "status"),
    [("utf-8", 200), ('"UTF-8"', 200), ("utf8", 200), ("latin-1", 415), ("utf-16", 415), ("", 415)],
)
def test_a_body_is_utf_8_and_no_other_charset_may_be_said(ours, charset, status):
    body = orjson.dumps({"definition": chain("x")})
    kind = f"application/json; charset={charset}"
    answer = ours.generic("POST", "/api/v1/workflows/validate", body, content_type=kind)
    assert answer.status_code == status
    if status == 415:
        assert_envelope(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize(("name", "method"), STRICT)
def test_a_field_that_nobody_knows_is_a_400_that_names_it(ours, name, method):
    answer = send(ours, name, method, b'{"reasons": "x"}')
    assert_envelope(answer, 400)
    faults = answer.json()["error"]["details"]["errors"]
    assert ("reasons", "unknown_field") in {(fault["field"], fault["code"]) for fault in faults}


@pytest.mark.parametrize(("name", "method"), STRICT)
def test_a_reason_that_is_no_text_is_a_400_that_names_it(ours, name, method):
    for reason in (1, 1.5, True, None, [], {}, ["x"], "x" * 2001):
        answer = send(ours, name, method, orjson.dumps({"reason": reason}))
        assert_envelope(answer, 400)
        assert "reason" in {fault["field"] for fault in answer.json()["error"]["details"]["errors"]}, reason


WRONG_TYPES = [None, True, 1, 0, -1, 1.5, "", "x", [], [1], {}, {"a": 1}, "1", "true"]
FIELDS = [
    ("POST", "/api/v1/workflows", "name", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/workflows", "title", lambda v: isinstance(v, str)),
    ("POST", "/api/v1/workflows", "definition", lambda v: isinstance(v, dict)),
    ("PATCH", "/api/v1/workflows/ours", "title", lambda v: isinstance(v, str)),
    ("PATCH", "/api/v1/workflows/ours", "description", lambda v: isinstance(v, str)),
    ("PATCH", "/api/v1/workflows/ours", "archived", lambda v: isinstance(v, bool)),
    ("POST", "/api/v1/workflows/validate", "definition", lambda v: isinstance(v, dict)),
    ("POST", "/api/v1/workflows/import", "document", lambda v: isinstance(v, dict | str)),
    ("POST", "/api/v1/workflows/read", "text", lambda v: isinstance(v, str)),
    ("POST", "/api/v1/workflows/write", "definition", lambda v: isinstance(v, dict)),
    ("PATCH", "/api/v1/workflows/ours/draft", "revision", lambda v: type(v) is int),
    ("PATCH", "/api/v1/workflows/ours/draft", "groups", lambda v: isinstance(v, list)),
    ("POST", "/api/v1/workflows/ours/publish", "note", lambda v: isinstance(v, str)),
    ("PUT", "/api/v1/workflows/ours/draft", "definition", lambda v: isinstance(v, dict)),
    ("PUT", "/api/v1/workflows/ours/draft", "layout", lambda v: isinstance(v, dict)),
    ("POST", "/api/v1/runs", "workflow", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/runs", "version", lambda v: type(v) is int and v > 0),
    ("POST", "/api/v1/runs", "business_key", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/runs", "sla_seconds", lambda v: type(v) is int and v > 0),
    ("POST", "/api/v1/runs", "priority", lambda v: type(v) is int),
    ("POST", "/api/v1/runs", "if_exists", lambda v: False),
    ("POST", "/api/v1/runs/batch", "workflow", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/runs/batch", "version", lambda v: type(v) is int and v > 0),
    ("POST", "/api/v1/runs/{run}/cancel", "compensate", lambda v: isinstance(v, bool)),
    ("POST", "/api/v1/webhooks", "name", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/webhooks", "workflow", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/webhooks", "action", lambda v: False),
    ("POST", "/api/v1/webhooks", "mapping", lambda v: isinstance(v, dict)),
    ("POST", "/api/v1/webhooks", "allow_unsigned", lambda v: isinstance(v, bool)),
    ("PATCH", "/api/v1/webhooks/{webhook}", "enabled", lambda v: isinstance(v, bool)),
    ("POST", "/api/v1/webhooks/{webhook}/rotate", "overlap_seconds", lambda v: type(v) is int and v >= 0),
    ("POST", "/api/v1/schedules", "name", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/schedules", "workflow", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/schedules", "every_seconds", lambda v: v is None or (type(v) is int and v > 0)),
    ("POST", "/api/v1/schedules", "timezone", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/schedules", "jitter_seconds", lambda v: type(v) is int and v >= 0),
    ("POST", "/api/v1/schedules", "overlap", lambda v: False),
    ("PATCH", "/api/v1/schedules/ours", "at", lambda v: v is None),
    ("PATCH", "/api/v1/schedules/ours", "cron", lambda v: v is None or (isinstance(v, str) and v)),
    ("PATCH", "/api/v1/schedules/ours", "enabled", lambda v: isinstance(v, bool)),
    ("PATCH", "/api/v1/schedules/ours", "calendar", lambda v: v is None or (isinstance(v, str) and v)),
    ("POST", "/api/v1/calendars", "name", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/calendars", "timezone", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/calendars", "weekdays", lambda v: isinstance(v, list)),
    ("PATCH", "/api/v1/calendars/ours", "hours", lambda v: isinstance(v, dict)),
    ("PATCH", "/api/v1/calendars/ours", "exceptions", lambda v: isinstance(v, list)),
    ("POST", "/api/v1/jobs/poll", "worker_id", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/jobs/poll", "queues", lambda v: isinstance(v, list)),
    ("POST", "/api/v1/jobs/complete", "items", lambda v: isinstance(v, list)),
    ("POST", "/api/v1/jobs/fail", "items", lambda v: isinstance(v, list)),
    ("POST", "/api/v1/jobs/heartbeat", "items", lambda v: isinstance(v, list)),
    ("POST", "/api/v1/jobs/poll", "max_jobs", lambda v: type(v) is int and v > 0),
    ("POST", "/api/v1/jobs/poll", "wait_seconds", lambda v: type(v) in (int, float) and v >= 0),
    ("POST", "/api/v1/jobs/{job}/complete", "lease_token", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/jobs/{job}/fail", "retryable", lambda v: isinstance(v, bool)),
]
JOB = {"id": "11111111-1111-4111-8111-111111111111", "lease_token": "x"}
ERROR = {"code": "X", "message": "x"}
GOOD = {
    "name": "other",
    "definition": chain("other"),
    "document": chain("other"),
    "text": "name: other",
    "format": "yaml",
    "revision": 1,
    "groups": [],
    "workflow": "ours",
    "input": {},
    "action": "start",
    "items": [{"input": {}}],
    "worker_id": "w",
    "queues": ["work"],
    "ids": [JOB["id"]],
    "max_jobs": 1,
    "lease_token": "x",
    "output": {},
    "error": ERROR,
    "retryable": True,
}
# Of a PATCH of the draft, whose PUT needs something else.
IN_PARTS = ("revision", "groups")
IN_PARTS_FIELDS = {("PATCH", field) for field in IN_PARTS}
NEEDED = {
    "/api/v1/workflows": ["name"],
    "/api/v1/workflows/validate": ["definition"],
    "/api/v1/workflows/import": ["document"],
    "/api/v1/workflows/ours/draft": ["definition"],
    "/api/v1/runs": ["workflow", "input"],
    "/api/v1/runs/batch": ["workflow", "items"],
    "/api/v1/webhooks": ["name", "workflow", "action"],
    "/api/v1/schedules": ["name", "workflow"],
    "/api/v1/calendars": ["name"],
    "/api/v1/jobs/poll": ["worker_id", "queues", "max_jobs"],
    "/api/v1/jobs/claim": ["worker_id", "ids"],
    "/api/v1/jobs/complete": ["items"],
    "/api/v1/jobs/fail": ["items"],
    "/api/v1/jobs/heartbeat": ["items"],
    "/api/v1/jobs/{job}/complete": ["lease_token", "output"],
    "/api/v1/jobs/{job}/fail": ["lease_token", "error", "retryable"],
}


@pytest.mark.parametrize(("method", "path", "field", "good"), FIELDS)
def test_a_value_of_another_type_is_refused_and_named_never_converted(ours, method, path, field, good):
    for value in WRONG_TYPES:
        if good(value):
            continue
        needed = IN_PARTS if (method, field) in IN_PARTS_FIELDS else NEEDED.get(path, ())
        body = {key: GOOD[key] for key in needed} | {field: value}
        answer = ours.generic(
            method,
            path.format(**ours.ids),
            orjson.dumps(body),
            content_type="application/json",
            HTTP_IF_MATCH='"1"',
        )
        assert_envelope(answer, 400)
        assert answer.json()["error"]["field"] == field, value


@pytest.mark.parametrize("path", [path for path in NEEDED if path != "/api/v1/workflows/ours/draft"])
def test_a_field_that_is_missing_is_named(ours, path):
    for field in NEEDED[path]:
        body = {key: GOOD[key] for key in NEEDED[path] if key != field}
        answer = ours.post(path.format(**ours.ids), body)
        assert_envelope(answer, 400)
        assert answer.json()["error"]["field"] == field


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/api/v1/runs", {"business_key": "x" * 257}, "business_key"),
        ("/api/v1/runs", {"priority": 1001}, "priority"),
        ("/api/v1/runs", {"sla_seconds": 2**31}, "sla_seconds"),
        ("/api/v1/runs", {"version": 2**31}, "version"),
        ("/api/v1/runs/batch", {"items": []}, "items"),
        ("/api/v1/runs/batch", {"items": [{"input": 1}] * 1001}, "items"),
        ("/api/v1/runs/batch", {"items": [{"input": 1}, {"inputs": 1}]}, "items[1].input"),
        ("/api/v1/runs/batch", {"items": [{"input": 1}, 7]}, "items[1]"),
        ("/api/v1/runs/batch", {"items": [{"input": 1, "business_key": 7}]}, "items[0].business_key"),
        ("/api/v1/jobs/poll", {"queues": []}, "queues"),
        ("/api/v1/jobs/poll", {"queues": ["a"] * 51}, "queues"),
        ("/api/v1/jobs/poll", {"queues": ["work", 7]}, "queues[1]"),
        ("/api/v1/jobs/poll", {"queues": ["work", "default"]}, "queues[1]"),
        ("/api/v1/jobs/poll", {"max_jobs": 101}, "max_jobs"),
        ("/api/v1/jobs/poll", {"wait_seconds": 20.5}, "wait_seconds"),
        ("/api/v1/jobs/claim", {"ids": [[JOB["id"]]]}, "ids[0]"),
        ("/api/v1/jobs/complete", {"items": [[]]}, "items[0]"),
        ("/api/v1/jobs/fail", {"items": [[JOB | {"error": ERROR}]]}, "items[0]"),
        ("/api/v1/jobs/fail", {"items": [JOB | {"error": ERROR}, []]}, "items[1]"),
        ("/api/v1/jobs/fail", {"items": [JOB | {"error": [ERROR]}]}, "items[0].error"),
        ("/api/v1/jobs/heartbeat", {"items": [[]]}, "items[0]"),
        ("/api/v1/jobs/heartbeat", {"items": [JOB | {"id": [JOB["id"]]}]}, "items[0].id"),
        ("/api/v1/jobs/{job}/fail", {"error": {"code": "X"}}, "error.message"),
        ("/api/v1/jobs/{job}/fail", {"error": {"code": "X", "message": "x", "more": 1}}, "error.more"),
    ],
)
def test_a_value_out_of_bounds_is_named(ours, path, body, field):
    whole = {key: GOOD[key] for key in NEEDED[path]} | body
    answer = ours.post(path.format(**ours.ids), whole)
    assert_envelope(answer, 400)
    assert answer.json()["error"]["field"] == field


@pytest.mark.parametrize(
    "query",
    [
        "status=DONE",
        "created_after=yesterday",
        "created_before=2026-01-01T00:00:00",
        "created_after=2026-13-01T00:00:00Z",
        "created_after=0001-01-01T00:00:00%2B23:59",
        "created_before=9999-12-31T23:59:59-23:59",
        "created_before=2026-01-01T00:00:00%2B99:99",
        "created_after=２０２６-01-01T00:00:00Z",
        "workflow=" + "x" * 257,
        "business_key=%00",
        "q=%00",
        "limit=0",
        "cursor=x",
        "unknown=1",
    ],
)
def test_a_bad_filter_of_runs_is_named(ours, query):
    answer = ours.get(f"/api/v1/runs?{query}")
    assert_envelope(answer, 400)
    assert answer.json()["error"]["field"] == query.partition("=")[0]


def is_no_500(client, name, method, body):
    answer = send(client, name, method, json.dumps(body).encode())
    assert answer.status_code < 500, (body, answer.content)
    if answer.status_code >= 400 and name.startswith("s4-"):
        assert set(answer.json()) == {"error", "reason"}
    elif answer.status_code >= 400:
        assert_envelope(answer, answer.status_code)
    assert not answer.content or orjson.loads(answer.content) is not None


@pytest.mark.slow
@pytest.mark.parametrize(("name", "method"), shown(WRITES, 36))
def test_no_body_whatever_is_a_500(ours, name, method):
    for body in made_up():
        is_no_500(ours, name, method, body)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "method"), WRITES)
@given(body=bodies | json_values)
@tried(500)
def test_so_it_is_for_many_bodies(ours, name, method, body):
    is_no_500(ours, name, method, body)


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/workflows/ours/versions/99999999999999999999",
        "/api/v1/workflows/ours/versions/0",
        "/api/v1/workflows/ours/versions/-1",
        "/api/v1/workflows/%00",
        "/api/v1/workflows/" + "x" * 257,
        "/api/v1/workflows/%F0%9F%98%80/draft",
        "/api/v1/workflows/ours%2Fdraft/x",
    ],
)
def test_an_address_that_names_nothing_is_a_404(ours, path):
    assert_envelope(ours.get(path), 404, "not_found")
