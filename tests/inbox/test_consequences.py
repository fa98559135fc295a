"""What follows an outcome, in words: branches, defaults, conditions, and the end of the run."""

from engine.graph import compile_graph
from engine.ports import RULES
from steps.catalogue import ALL_TYPES
from tasks_inbox.lifecycle.consequences import consequences
from tests import factories as make

OUTCOMES = [{"name": "approved"}, {"name": "rejected"}]


def told(nodes, edges, node="ask", rules=RULES, **more):
    ask = {"id": "ask", "type": "human.approval", "params": {"title": "Go on?"}}
    graph = compile_graph(make.graph([ask, *nodes], edges, **more), ALL_TYPES, rules)
    return consequences(graph, node, OUTCOMES)


def edge(to, **more):
    return {"from": "ask", "to": to, **more}


def test_an_outcome_leads_to_its_branch_and_the_others_to_the_default():
    pay, tell = ({"id": name, "type": "noop", "title": name.title()} for name in ("pay", "tell"))
    edges = [edge("pay", branch="approved"), edge("tell", branch="approved"), edge("tell", default=True)]
    assert told([pay, tell], edges) == {
        "approved": "Next: “Pay” and “Tell”.",
        "rejected": "Next: “Tell”.",
    }


def test_without_a_next_step_the_run_ends():
    assert told([], []) == {"approved": "The run ends.", "rejected": "The run ends."}
    assert told(["other"], [])["approved"] == "This branch ends; the run ends with the others."


def test_behind_the_last_step_of_an_item_not_the_whole_run_ends():
    assert told([], [], part_of="each")["approved"] == "This part of the run is done."
    assert told(["other"], [], part_of="each")["approved"].endswith(
        "this part of the run is done with the others."
    )


def test_an_outcome_that_no_edge_takes_ends_the_run():
    assert told(["pay"], [edge("pay", branch="approved")])["rejected"] == "The run ends."


def test_by_the_first_rules_an_outcome_that_no_edge_takes_fails():
    assert "the step fails" in told(["pay"], [edge("pay", branch="approved")], rules=1)["rejected"]


def test_what_depends_on_an_entry_says_so():
    edges = [edge("pay", when="output.data.ok"), edge("no", default=True)]
    assert (
        told(["pay", "no"], edges)["approved"]
        == "Depends on what is filled in: “Do nothing (pay)” and “Do nothing (no)”."
    )


def test_every_outcome_leads_on_where_no_edge_asks():
    assert told(["pay"], ["ask>pay"]) == dict.fromkeys(("approved", "rejected"), "Next: “Do nothing (pay)”.")


def test_a_step_that_the_version_does_not_have_has_none():
    assert told([], [], node="gone") == {}
