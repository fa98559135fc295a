"""fail: its code and message are the error of the step and of the run."""

import pytest

from engine.errors import StepError
from engine.validate import validate
from steps.catalogue import CATALOGUE
from steps.playing import play

FAIL = CATALOGUE["fail"]


def flow(*edges, **fields):
    params = {"code": "NotInStock", "message": "{{ input.item }} is not in stock."}
    node = {"id": "none", "type": "fail", "params": params, **fields}
    nodes = [{"id": "look", "type": "noop"}, node, {"id": "other", "type": "noop"}]
    return {"name": "w", "nodes": nodes, "edges": [{"from": "look", "to": "none"}, *edges]}


TO_OTHER = {"from": "none", "to": "other"}


def test_the_run_fails_with_its_code_and_its_message():
    played = play(flow(TO_OTHER), {"item": "Lamp"})
    assert played.status == "FAILED"
    wanted = {"code": "NotInStock", "message": "Lamp is not in stock.", "retryable": False, "node": "none"}
    assert played.error == wanted
    assert "other" not in played.path


def test_its_error_may_be_handled():
    played = play(flow({**TO_OTHER, "on": "error"}, on_error="branch"), {"item": "Lamp"})
    assert (played.status, played.path) == ("COMPLETED", ["look", "other"])
    assert played.outputs["other"]["error"]["code"] == "NotInStock"


def test_a_message_that_can_not_be_computed_is_an_error_of_its_own():
    assert play(flow(TO_OTHER), {}).error["code"] == "ExpressionError"


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"code": "", "message": "No."}, "code"),
        ({"code": "no blanks", "message": "No."}, "code"),
        ({"code": "A" * 101, "message": "No."}, "code"),
        ({"code": "No"}, "message"),
        ({"code": "No", "message": ""}, "message"),
        ({"code": "No", "message": None}, "message"),
        ({"code": "No", "message": True}, "message"),
    ],
)
def test_what_is_no_error_is_refused(params, field):
    with pytest.raises(StepError) as refused:
        FAIL.evaluate(params, None)
    assert (refused.value.code, refused.value.details["field"]) == ("BadParams", field)


def test_a_number_is_a_message_and_a_long_one_is_cut():
    for message, kept in ((404, "404"), ("x" * 5000, "x" * 2000)):
        with pytest.raises(StepError) as failed:
            FAIL.evaluate({"code": "No", "message": message}, None)
        assert (failed.value.code, failed.value.message, failed.value.retryable) == ("No", kept, False)


def test_an_edge_that_waits_for_its_output_is_never_taken():
    found = [(one.code, one.field) for one in validate(flow(TO_OTHER), CATALOGUE)]
    assert found == [("edge_never_taken", "edges[1]")]
    assert validate(flow({**TO_OTHER, "on": "error"}, on_error="branch"), CATALOGUE) == []
