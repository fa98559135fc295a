"""What expressions hand on, as a client sees it in its runs."""

import pytest

from tests import factories
from tests.definitions import chain

pytestmark = pytest.mark.django_db


def ran(api, nodes, given):
    definition = chain("flow") | {"nodes": nodes, "edges": []}
    assert api.post("/api/v1/workflows", {"name": "flow", "definition": definition}).status_code == 201
    assert api.post("/api/v1/workflows/flow/publish").status_code == 201
    run = api.post("/api/v1/runs", {"workflow": "flow", "input": given}).json()
    factories.work()
    return api.get(f"/api/v1/runs/{run['id']}").json()


def test_a_plain_path_hands_on_a_large_object(api):
    given = {"big": {"rows": [{"n": number, "text": "x" * 50} for number in range(5_000)]}}
    run = ran(
        api,
        [
            {"id": "a", "type": "transform", "params": {"set": {"all": "{{ input.big }}"}}},
            {"id": "b", "type": "noop", "input": {"rows": "{{ input.big.rows }}"}},
        ],
        given,
    )
    assert (run["status"], run["error"]) == ("COMPLETED", None)
    assert run["output"] == {"a": {"all": given["big"]}, "b": given["big"]}


@pytest.mark.parametrize(
    "node", [{"params": {"set": {"n": "{{ input.n + 1 }}"}}}, {"input": {"n": "{{ input.n + 1 }}"}}]
)
def test_an_integer_beyond_2_53_is_a_failure_and_no_other_number(api, node):
    kind = "transform" if "params" in node else "noop"
    run = ran(api, [{"id": "a", "type": kind, **node}], {"n": 2**53})
    assert (run["status"], run["error"]["code"]) == ("FAILED", "ExpressionError")
    assert "beyond 2^53" in run["error"]["message"]
