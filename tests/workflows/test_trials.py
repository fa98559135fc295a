"""The definition of a test run: cut to what is asked for, with stand-ins for what is not to happen."""

import jsonschema
import pytest
from hypothesis import assume, given

from engine.graph import compile_graph
from engine.outcomes import Completed, Failed
from engine.simulate import simulate
from engine.validate import validate
from lib.refusals import Invalid
from steps.catalogue import ALL_TYPES, CATALOGUE, EXECUTABLE
from tests.engine.strategies import QUICK, cases
from tests.engine.telling import play, told_by_core
from tests.factories import graph
from workflows.checking.check import check
from workflows.document.specimens import answer_specimen, specimen
from workflows.trials.rewrite import TrialOptions, trial_definition

CHARGE = {
    "id": "charge",
    "type": "http.request",
    "params": {"method": "POST", "url": "https://pay.example/charges"},
    "compensate": {"type": "noop"},
    "retry": "none",
}


def trial(definition, **options):
    made = trial_definition(definition, TrialOptions(**options))
    wrong = [one for one in validate(made.definition, ALL_TYPES) if one.severity == "error"]
    assert wrong == []
    return made


def nodes(made):
    return {node["id"]: node for node in made.definition["nodes"]}


def stubbed(made):
    return {one.node: one.why for one in made.stubbed}


def played(made, run_input=None):
    """The run of a test in memory; what is done gives its input on."""
    compiled = compile_graph(made.definition, EXECUTABLE)
    return simulate(compiled, run_input, lambda node, scope: Completed(scope["prev"]))


def completed(state):
    return {name for name, step in state.steps.items() if step.status == "COMPLETED"}


@given(cases(races=False))
@QUICK
def test_a_test_with_every_step_pinned_goes_the_way_of_the_run(case):
    assume(not case.rung and all(kind != "interrupted" for kind, _ in case.script.values()))
    real = play(case, case.order.pick())
    pins = {name: step.output for name, step in real.steps.items() if step.status == "COMPLETED"}
    errors = {name: step.error for name, step in real.steps.items() if step.status == "FAILED"}
    made = trial_definition(case.definition, TrialOptions(pins=pins, errors=errors))

    compiled = compile_graph(made.definition, EXECUTABLE)
    state = simulate(compiled, case.run_input, lambda *_: Failed({"code": "Reached", "message": "was not"}))

    assert state.status == real.status
    assert real.status == "FAILED" or told_by_core(state) == told_by_core(real)


@given(cases(races=False))
@QUICK
def test_a_test_of_any_random_graph_up_to_any_step_can_be_run(case):
    for node in case.nodes:
        made = trial_definition(case.definition, TrialOptions(until=node["id"]))
        assert [one for one in validate(made.definition, ALL_TYPES) if one.severity == "error"] == []
        state = played(made, case.run_input)
        assert state.status in ("COMPLETED", "FAILED")
        alone = trial_definition(case.definition, TrialOptions(only=node["id"]))
        assert [one for one in validate(alone.definition, ALL_TYPES) if one.severity == "error"] == []
        assert node["id"] in played(alone, case.run_input).steps


@given(cases(races=False))
@QUICK
def test_what_leads_up_to_a_step_ends_as_in_the_whole_test(case):
    whole = played(trial_definition(case.definition, TrialOptions()), case.run_input)
    assume(whole.status == "COMPLETED")
    for node in case.nodes:
        made = trial_definition(case.definition, TrialOptions(until=node["id"]))
        part = played(made, case.run_input)
        outside = {name for name, why in stubbed(made).items() if why == "outside"}
        # The edges of the step itself lead out of the test: whether one of them holds isn't asked.
        for name in part.steps.keys() - outside - {node["id"]}:
            assert part.steps[name].status == whole.steps[name].status, (node["id"], name)


def test_steps_with_side_effects_are_stood_in_for_unless_they_are_live():
    definition = graph([CHARGE, "b"], ["charge>b"])

    made = trial(definition)
    assert stubbed(made) == {"charge": "side_effects"}
    assert nodes(made)["charge"]["type"] == "test.stub"
    assert not {"compensate", "retry"} & nodes(made)["charge"].keys()
    assert played(made).steps["b"].output == {"status": 200, "headers": {}, "body": None}
    assert stubbed(trial(definition, live={"charge"})) == {}
    assert trial(definition, live={"charge"}).definition["nodes"] == definition["nodes"]


@pytest.mark.parametrize(
    ("method", "why"), [("GET", None), ("get", None), ("HEAD", None), ("{{ input.m }}", "side_effects")]
)
def test_requests_that_only_read_are_done(method, why):
    read = {**CHARGE, "params": {"method": method, "url": "https://a.example/"}}
    assert stubbed(trial(graph([read], []))).get("charge") == why


def test_what_a_pin_says_is_never_an_expression():
    odd = {"a": "{{ input.secret }}", "{{ k }}": ["{{{{", "}}", "\\{{", '"{{"'], "n": [1, 2.5, None, True]}
    made = trial(graph(["a", "b"], ["a>b"]), pins={"a": odd})
    assert stubbed(made) == {"a": "pinned"}
    assert played(made, {"secret": "x"}).steps["b"].output == odd


def test_people_decide_at_once_as_is_said_or_the_first_way():
    ask = {"id": "ask", "type": "human.approval", "params": {"title": "Refund?"}}
    definition = graph(
        [ask, "pay", "tell"],
        [
            {"from": "ask", "to": "pay", "branch": "approved"},
            {"from": "ask", "to": "tell", "branch": "rejected"},
        ],
    )
    assert completed(played(trial(definition))) == {"ask", "pay"}
    assert completed(played(trial(definition, outcomes={"ask": "rejected"}))) == {"ask", "tell"}
    assert stubbed(trial(definition)) == {"ask": "waits"}
    with pytest.raises(Invalid, match="approved, rejected") as refused:
        trial(definition, outcomes={"ask": "maybe"})
    assert refused.value.field == "outcomes.ask"


def test_an_outcome_that_nothing_follows_ends_the_test_and_what_is_no_outcome_fails_it():
    ask = {"id": "ask", "type": "human.approval", "params": {"title": "Go on?"}}
    edges = [{"from": "ask", "to": "pay", "branch": "approved"}]
    definition = graph([ask, "pay"], edges)
    state = played(trial(definition, outcomes={"ask": "rejected"}))
    assert (state.status, completed(state)) == ("COMPLETED", {"ask"})
    misspelt = played(trial(definition, pins={"ask": {"branch": "aproved"}}))
    assert (misspelt.status, misspelt.error["code"]) == ("FAILED", "NoBranchMatched")


def test_nothing_waits_and_what_would_follow_too_late_does_not_happen():
    definition = graph(
        [
            {
                "id": "a",
                "type": "wait",
                "params": {"seconds": 60},
                "boundary_timers": [{"after_seconds": 5, "to": "late"}],
            },
            {"id": "s", "type": "signal", "params": {"name": "paid"}},
            "late",
            "z",
        ],
        ["a>s", "s>z"],
    )
    made = trial(definition)
    state = played(made)
    assert stubbed(made) == {"a": "waits", "s": "waits"}
    assert {name: str(step.status) for name, step in state.steps.items()} == {
        "a": "COMPLETED",
        "s": "COMPLETED",
        "z": "COMPLETED",
        "late": "SKIPPED",
    }


def test_up_to_a_step_is_what_leads_to_it_and_nothing_behind_it():
    made = trial(graph(["a", "b", "c", "d", "e"], ["a>b", "b>c", "b>d", "c>e", "d>e"]), until="c")
    assert list(nodes(made)) == ["a", "b", "c"]
    assert completed(played(made)) == {"a", "b", "c"}


def test_a_branch_that_leads_elsewhere_is_still_taken():
    """Cut off, its edge would leave the default to be taken."""
    definition = graph(
        ["a", "small", "large"],
        [
            {"from": "a", "to": "large", "when": "output.n > 5"},
            {"from": "a", "to": "small", "default": True},
        ],
    )
    made = trial(definition, until="small")
    assert completed(played(made, {"n": 9})) == {"a", "large"}
    assert stubbed(made) == {"large": "outside"}
    assert completed(played(made, {"n": 1})) == {"a", "small"}


def test_one_step_alone_reads_what_is_said_of_the_others():
    definition = graph(
        [
            CHARGE,
            "b",
            "c",
            {
                "id": "sum",
                "type": "transform",
                "params": {"set": {"of": "{{ prev }}", "from": "{{ steps.charge.output.body }}"}},
            },
            "after",
        ],
        ["charge>b", "charge>c", "b>sum", "c>sum", "sum>after"],
    )
    pins = {"charge": {"body": 7}, "b": 1}
    made = trial(definition, only="sum", pins=pins)
    assert stubbed(made) == {"charge": "pinned", "b": "pinned", "c": "outside"}
    assert played(made).steps["sum"].output == {"of": {"b": 1, "c": None}, "from": 7}
    assert played(made).output == {"of": {"b": 1, "c": None}, "from": 7}


def test_a_pinned_decision_still_takes_only_the_first_edge_that_holds():
    definition = graph(
        [{"id": "d", "type": "decision"}, "x", "y"],
        [{"from": "d", "to": "x", "when": "output.n > 1"}, {"from": "d", "to": "y", "when": "output.n > 0"}],
    )
    assert completed(played(trial(definition, pins={"d": {"n": 5}}))) == {"d", "x"}


def test_what_is_not_there_is_refused():
    definition = graph(["a"], [])
    for options in ({"until": "b"}, {"only": "b"}, {"live": ["b"]}, {"outcomes": {"b": "x"}}):
        with pytest.raises(Invalid):
            trial_definition(definition, TrialOptions(**options))
    with pytest.raises(Invalid):
        trial_definition(definition, TrialOptions(until="a", only="a"))


def test_in_memory_nobody_outside_is_asked():
    read = {**CHARGE, "params": {"method": "GET", "url": "https://a.example/"}}
    tag = {"id": "tag", "type": "text.tag", "params": {"categories": ["a"]}}
    by_llm = {"id": "sum", "type": "text.summarize", "params": {"llm": True}}
    made = trial(graph([read, tag, by_llm], []), in_memory=True)
    assert stubbed(made) == {"charge": "outside", "sum": "side_effects"}


def test_no_ordinary_definition_may_have_what_stands_for_a_step():
    stub = {"id": "a", "type": "test.stub", "params": {"stands_for": "noop", "why": "pinned"}}
    found = check(graph([stub], []))
    assert [one.code for one in found.problems if one.severity == "error"] == ["unknown_type"]
    assert "test.stub" not in CATALOGUE


def test_problems_are_told_where_they_stand_in_the_definition():
    wrong = {"id": "c", "type": "text.clean", "params": {"colour": "red"}}
    definition = graph(["a", "b", wrong], ["a>b", {"from": "a", "to": "c", "when": "output.("}])
    made = trial_definition(definition, TrialOptions(until="c"))
    found = [
        made.in_the_original(one).field
        for one in validate(made.definition, ALL_TYPES)
        if one.severity == "error"
    ]
    assert sorted(found) == ["edges[1].when", "nodes[2].params.colour"]
    only_b = trial_definition(graph(["a", "b", wrong], ["a>b", "a>c"]), TrialOptions(until="b"))
    assert not [one for one in validate(only_b.definition, ALL_TYPES) if one.severity == "error"]


@pytest.mark.parametrize("step_type", CATALOGUE.values(), ids=CATALOGUE)
def test_a_sample_is_what_the_schema_takes(step_type):
    for schema in (
        step_type.output_schema(step_type.example["params"]),
        step_type.params_schema,
        step_type.input_schema,
    ):
        if schema is not None and schema is not step_type.params_schema:
            jsonschema.validate(specimen(schema), schema)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        True,
        None,
        {"type": ["null", "string"]},
        {"type": "string", "minLength": 3},
        {"type": "integer", "minimum": 5},
        {"type": "number", "exclusiveMinimum": 5},
        {"type": "integer", "maximum": -5},
        {"enum": ["b", "c"]},
        {"anyOf": [{"type": "array", "items": {"type": "integer"}, "minItems": 2}, {"type": "null"}]},
        {
            "$defs": {"p": {"type": "object", "required": ["x"], "properties": {"x": {"type": "boolean"}}}},
            "$ref": "#/$defs/p",
        },
        {"type": "object", "required": ["a", "b"], "properties": {"a": {"const": 7}}},
    ],
    ids=str,
)
def test_samples_of_schemas(schema):
    if isinstance(schema, dict):
        jsonschema.validate(specimen(schema), schema)
    else:
        assert specimen(schema) is None


def test_a_form_is_filled_in_whole_but_for_files():
    fields = {
        "complete": {"type": "boolean"},
        "note": {"type": "string"},
        "scan": {"type": "string", "format": "file"},
        "scans": {"type": "array", "items": {"type": "string", "format": "file"}},
        "address": {"type": "object", "properties": {"city": {"type": "string", "examples": ["Ulm"]}}},
    }
    form = {"type": "object", "properties": fields, "required": ["note"]}
    schema = CATALOGUE["human.form"].output_schema({"title": "?", "form": form})
    output = answer_specimen(schema, "data")
    jsonschema.validate(output, schema)
    assert output["data"] == {"note": "", "complete": True, "address": {"city": "Ulm"}}
    assert "on_behalf_of" not in output


def test_a_form_that_refers_to_itself_is_filled_in_as_far_as_it_must():
    again = {"$ref": "#/$defs/p"}
    point = {"type": "object", "properties": dict.fromkeys("abcdefgh", again), "required": []}
    schema = {"$defs": {"p": point}, "type": "object", "properties": {"data": again}, "required": ["data"]}
    assert answer_specimen(schema, "data") == {"data": {}}


def test_a_schema_that_refers_to_itself_has_a_sample():
    schema = {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#"}}}
    assert specimen(schema)["next"]["next"]


@pytest.mark.parametrize(
    ("kind", "why"),
    [("wait", "waits"), ("signal", "waits"), ("human.approval", "waits"), ("email.send", "side_effects")],
)
def test_what_undoes_a_step_that_is_done_reaches_nobody_and_waits_for_nobody(kind, why):
    undo = {"type": kind, "params": CATALOGUE[kind].example["params"]}
    definition = graph([{"id": "a", "type": "noop", "compensate": undo}, "b"], ["a>b"], name="t")
    made = trial(definition)
    assert stubbed(made) == {"a:compensate": why}
    assert nodes(made)["a"]["compensate"]["params"] == {"output": "null", "stands_for": kind, "why": why}
    assert stubbed(trial(definition, live={"a"})) == {}
    assert nodes(trial(definition, live={"a"}))["a"]["compensate"] == undo
    plain = graph([{"id": "a", "type": "noop", "compensate": {"type": "noop"}}, "b"], ["a>b"], name="t")
    assert stubbed(trial(plain)) == {}
