"""Bad input on every door is a 4xx that says where, never a 500 (SECURITY Decision 8)."""

import json

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.authorisation_matrix import MATRIX
from tests.api.test_authorisation import API_DOORS, assert_envelope
from tests.definitions import chain

pytestmark = pytest.mark.django_db
WRITES = sorted((name, method) for name, method, _scope in API_DOORS if method != "GET")


def send(api, name, method, raw):
    route = MATRIX[name]
    return api.generic(method, route.path, raw, content_type="application/json", **route.headers)


@pytest.fixture
def ours(api):
    """A client whose tenant has what the matrix' addresses name."""
    api.post("/api/v1/workflows", {"name": "ours", "definition": chain("ours")})
    api.post("/api/v1/workflows/ours/publish")
    return api


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


@pytest.mark.parametrize(("name", "method"), WRITES)
def test_what_is_no_good_json_is_a_400_that_says_where(ours, name, method):
    for raw, field in BROKEN:
        answer = send(ours, name, method, raw)
        assert_envelope(answer, 400, "bad_json")
        assert answer.json()["error"]["field"] == field, raw[:40]


@pytest.mark.parametrize(("name", "method"), WRITES)
@pytest.mark.parametrize("body", [[], [{}], "text", 1, 1.5, True, None])
def test_what_is_no_object_is_a_400(ours, name, method, body):
    answer = send(ours, name, method, orjson.dumps(body))
    assert_envelope(answer, 400)
    assert answer.json()["error"]["field"] is None


@pytest.mark.parametrize(("name", "method"), WRITES)
def test_a_field_that_nobody_knows_is_a_400_that_names_it(ours, name, method):
    answer = send(ours, name, method, b'{"reasons": "x"}')
    assert_envelope(answer, 400)
    faults = answer.json()["error"]["details"]["errors"]
    assert ("reasons", "unknown_field") in {(fault["field"], fault["code"]) for fault in faults}


@pytest.mark.parametrize(("name", "method"), WRITES)
@pytest.mark.parametrize("reason", [1, 1.5, True, None, [], {}, ["x"], "x" * 2001])
def test_a_reason_that_is_no_text_is_a_400_that_names_it(ours, name, method, reason):
    answer = send(ours, name, method, orjson.dumps({"reason": reason}))
    assert_envelope(answer, 400)
    assert "reason" in {fault["field"] for fault in answer.json()["error"]["details"]["errors"]}


WRONG_TYPES = [None, True, 1, 0, -1, 1.5, "", "x", [], [1], {}, {"a": 1}, "1", "true"]
FIELDS = [
    ("POST", "/api/v1/workflows", "name", lambda v: isinstance(v, str) and v),
    ("POST", "/api/v1/workflows", "title", lambda v: isinstance(v, str)),
    ("POST", "/api/v1/workflows", "definition", lambda v: isinstance(v, dict)),
    ("PATCH", "/api/v1/workflows/ours", "title", lambda v: isinstance(v, str)),
    ("PATCH", "/api/v1/workflows/ours", "description", lambda v: isinstance(v, str)),
    ("PATCH", "/api/v1/workflows/ours", "archived", lambda v: isinstance(v, bool)),
    ("POST", "/api/v1/workflows/validate", "definition", lambda v: isinstance(v, dict)),
    ("POST", "/api/v1/workflows/import", "document", lambda v: isinstance(v, dict)),
    ("POST", "/api/v1/workflows/ours/publish", "note", lambda v: isinstance(v, str)),
    ("PUT", "/api/v1/workflows/ours/draft", "definition", lambda v: isinstance(v, dict)),
    ("PUT", "/api/v1/workflows/ours/draft", "layout", lambda v: isinstance(v, dict)),
]


@pytest.mark.parametrize(("method", "path", "field", "good"), FIELDS)
def test_a_value_of_another_type_is_refused_and_named_never_converted(ours, method, path, field, good):
    for value in WRONG_TYPES:
        if good(value):
            continue
        body = {"name": "other", "definition": chain("other"), "document": chain("other")}
        known = {key for _m, p, key, _g in FIELDS if p == path and _m == method}
        body = {key: body[key] for key in known & set(body)} | {field: value}
        answer = ours.generic(
            method, path, orjson.dumps(body), content_type="application/json", HTTP_IF_MATCH='"1"'
        )
        assert_envelope(answer, 400)
        assert answer.json()["error"]["field"] == field, value


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
node_like = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["a", "b", "a b", ""]) | json_values,
        "type": st.sampled_from(["noop", "transform", "no.such"]) | json_values,
        "params": st.dictionaries(st.sampled_from(["set", "x"]), json_values, max_size=2) | json_values,
        "retry": st.sampled_from(["minutes", "none"]) | json_values,
        "join": json_values,
        "queue": json_values,
        "priority": json_values,
    },
)
edge_like = st.fixed_dictionaries(
    {},
    optional={
        "from": st.sampled_from(["a", "b"]) | json_values,
        "to": st.sampled_from(["a", "b"]) | json_values,
        "when": st.sampled_from(["output.x > 1", "1 +", "[1].map(x, x)"]) | json_values,
        "on": json_values,
    },
)
definition_like = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["ours", "other"]) | json_values,
        "nodes": st.lists(node_like | json_values, max_size=3) | json_values,
        "edges": st.lists(edge_like | json_values, max_size=3) | json_values,
        "steps": st.lists(st.sampled_from(["noop", "x"]) | json_values, max_size=3) | json_values,
        "dag": json_values,
        "input_schema": json_values,
        "output": json_values,
        "metadata": json_values,
    },
)
bodies = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["ours", "other", "a b"]) | json_values,
        "title": json_values,
        "definition": definition_like | json_values,
        "document": definition_like | json_values,
        "layout": json_values,
        "dialect": st.sampled_from(["native", "s0", "steps"]) | json_values,
        "note": json_values,
        "reason": json_values,
        "what": json_values,
    },
)


@pytest.mark.parametrize(("name", "method"), WRITES)
@given(body=bodies | json_values)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)
def test_no_body_whatever_is_a_500(ours, name, method, body):
    answer = send(ours, name, method, json.dumps(body).encode())
    assert answer.status_code < 500, answer.content
    if answer.status_code >= 400:
        assert_envelope(answer, answer.status_code)
    assert not answer.content or orjson.loads(answer.content) is not None


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/workflows/ours/versions/99999999999999999999",
        "/api/v1/workflows/ours/versions/0",
        "/api/v1/workflows/ours/versions/-1",
        "/api/v1/workflows/%00",
        "/api/v1/workflows/" + "x" * 129,
        "/api/v1/workflows/%F0%9F%98%80/draft",
        "/api/v1/workflows/ours%2Fdraft/x",
    ],
)
def test_an_address_that_names_nothing_is_a_404(ours, path):
    assert_envelope(ours.get(path), 404, "not_found")
