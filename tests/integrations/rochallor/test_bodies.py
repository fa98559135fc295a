"""Bodies that the rochallor API can't read: each is a bad request, whatever its content type says."""

import orjson
import pytest

from tests.api.test_bad_input import BROKEN

pytestmark = pytest.mark.django_db
PATHS = (
    "definitions",
    "instances",
    "instances/{run}/cancel",
    "instances/{run}/signals/a",
    "instances/{run}/user-tasks/a/complete",
    "jobs/poll",
)
"""Without what is said of a job: that is heard, whatever it is."""


@pytest.mark.parametrize("path", PATHS)
def test_what_is_no_good_json_is_a_bad_request(linear, path):
    where = f"/v1/{path.format(run=linear.start())}"
    for raw, _ in BROKEN:
        # Nothing at all is an empty object, or no definition.
        if raw.strip():
            answer = linear.client.generic("POST", where, data=raw, content_type="application/json")
            assert answer.status_code == 400, raw[:40]
            assert answer.json()["error"] == "bad-request"


@pytest.mark.parametrize("path", PATHS)
def test_what_is_no_object_is_a_bad_request(linear, path):
    where = path.format(run=linear.start())
    for body in ([], [{}], "text", 1, 1.5, True):
        assert linear.post(where, body, 400)["error"] == "bad-request"


def test_a_body_that_is_too_large_is_a_bad_request(linear):
    raw = orjson.dumps({"definitionId": "flow", "variables": {"x": "y" * 9_000_000}})
    answer = linear.client.generic("POST", "/v1/instances", data=raw)
    assert answer.status_code == 413
    assert answer.json()["error"] == "bad-request"


def test_what_theirs_leave_alone_is_left_alone(linear):
    linear.start(colour="red", reason=5)


def test_the_content_type_says_nothing(engine):
    kind = "application/x-www-form-urlencoded"
    for raw, status in ((b"a=b", 400), (b'{"definitionId": "none"}', 404)):
        answer = engine.client.generic("POST", "/v1/instances", data=raw, content_type=kind)
        assert answer.status_code == status
