"""What the builder asks of expressions: what can be read, what it gives, another id for a step."""

import pytest

from lib.masking import MASK
from tests import factories
from workflows.limits import DESIGNED_NODES

pytestmark = pytest.mark.django_db

SCHEMA = {
    "type": "object",
    "required": ["order_id"],
    "properties": {"order_id": {"type": "string", "title": "Order"}, "note": {"type": "string"}},
}
DEFINITION = {
    "name": "orders",
    "input_schema": SCHEMA,
    "nodes": [
        {
            "id": "look",
            "title": "Look it up",
            "type": "transform",
            "params": {"set": {"order": "{{ input.order_id }}"}},
        },
        {"id": "credit-score", "type": "transform", "params": {"set": {"score": 17, "a b": "x"}}},
        {"id": "ask", "type": "transform", "params": {"set": {"why": "low"}}},
        {"id": "tell", "type": "email.send", "params": {"to": "a@example.org", "subject": "x", "body": "y"}},
    ],
    "edges": [
        {"from": "look", "to": "credit-score"},
        {"from": "credit-score", "to": "ask", "when": "output.score < 10"},
        {"from": "credit-score", "to": "tell", "default": True},
        {"from": "ask", "to": "tell"},
    ],
}


@pytest.fixture
def drafted(api):
    assert api.post("/api/v1/workflows", {"name": "orders", "definition": DEFINITION}).status_code == 201
    return api


@pytest.fixture
def ran(drafted):
    assert drafted.post("/api/v1/workflows/orders/publish").status_code == 201
    run = drafted.post("/api/v1/runs", {"workflow": "orders", "input": {"order_id": "A-17"}}).json()
    factories.work()
    return run["id"]


def scope(api, place="params", **more):
    answer = api.post("/api/v1/workflows/orders/scope", {"definition": DEFINITION, "place": place, **more})
    assert answer.status_code == 200, answer.json()
    return answer.json()


def evaluate(api, text, place="params", **more):
    asked = {"definition": DEFINITION, "place": place, "text": text, **more}
    answer = api.post("/api/v1/workflows/orders/evaluate", asked)
    assert answer.status_code == 200, answer.json()
    return answer.json()


ASKING = {
    "name": "orders",
    "input_schema": SCHEMA,
    "nodes": [
        {
            "id": "ask",
            "type": "human.approval",
            "params": {
                "title": 'Pay {{ facts["Order no."] }}?',
                "facts": {"Order no.": "{{ input.order_id }}"},
                "outcomes": [{"name": "approved", "label": "Approve"}],
            },
        }
    ],
    "edges": [],
}


class TestFactsInTexts:
    @pytest.mark.parametrize("keys", [["title"], ["instructions"], ["outcomes", 0, "label"]])
    def test_texts_of_a_human_step_read_its_facts(self, drafted, keys):
        given = {"order_id": "A-17"}
        answer = evaluate(
            drafted,
            ASKING["nodes"][0]["params"]["title"],
            definition=ASKING,
            node="ask",
            keys=keys,
            input=given,
        )
        assert (answer["value"], answer["problems"]) == ("Pay A-17?", [])
        found = scope(drafted, definition=ASKING, node="ask", keys=keys)["entries"]
        assert [entry["path"] for entry in found][:2] == ["facts", 'facts["Order no."]']
        assert found[1]["from"] == "Facts of this step"

    @pytest.mark.parametrize("keys", [["facts", "Order no."], ["form"], ["outcomes", 0, "name"], None])
    def test_other_params_do_not(self, drafted, keys):
        more = {} if keys is None else {"keys": keys}
        answer = evaluate(drafted, '{{ facts["Order no."] }}', definition=ASKING, node="ask", **more)
        assert [problem["code"] for problem in answer["problems"]] == ["name_not_in_scope"]
        found = scope(drafted, definition=ASKING, node="ask", **more)["entries"]
        assert not [entry for entry in found if entry["path"].startswith("facts")]

    def test_keys_that_are_none_are_refused_by_name(self, drafted):
        asked = {"definition": ASKING, "place": "params", "node": "ask", "keys": [True]}
        answer = drafted.post("/api/v1/workflows/orders/scope", asked)
        assert answer.status_code == 400
        assert "keys" in str(answer.json()["error"]["details"])


class TestScope:
    def test_paths_are_written_as_expressions_want_them_and_come_from_schemas(self, drafted):
        found = {entry["path"]: entry for entry in scope(drafted, node="tell")["entries"]}
        score = found['steps["credit-score"].output.score']
        assert score == {
            "path": 'steps["credit-score"].output.score',
            "type": "integer",
            "from": "Set values (credit-score)",
            "always": True,
        }
        assert 'steps["credit-score"].output["a b"]' in found
        assert found["input.order_id"]["title"] == "Order"
        assert found["input.order_id"]["from"] == "Input of the run"
        assert found["steps.look.output.order"]["from"] == "Look it up"

    def test_what_is_not_there_on_every_path_says_so(self, drafted):
        found = {entry["path"]: entry["always"] for entry in scope(drafted, node="tell")["entries"]}
        assert found["steps.look.output.order"] is True
        assert found["steps.ask.output.why"] is False
        assert found["input.order_id"] is True
        assert found["input.note"] is False

    def test_a_step_reads_nothing_that_comes_after_it(self, drafted):
        paths = [entry["path"] for entry in scope(drafted, node="credit-score")["entries"]]
        assert "steps.look.output" in paths
        assert not any(path.startswith(("steps.ask", "steps.tell", "output")) for path in paths)

    def test_a_condition_sees_the_output_of_its_step(self, drafted):
        found = scope(drafted, "when", edge={"from": "credit-score", "to": "ask"})
        paths = [entry["path"] for entry in found["entries"]]
        assert paths[0] == "output"
        assert "output.score" in paths

    def test_a_business_key_sees_the_input_alone(self, drafted):
        paths = {entry["path"].partition(".")[0] for entry in scope(drafted, "business_key")["entries"]}
        assert paths == {"input"}

    def test_the_last_run_gives_the_samples(self, drafted, ran):
        answer = scope(drafted, node="tell")
        found = {entry["path"]: entry for entry in answer["entries"]}
        assert found["steps.look.output.order"]["sample"] == "A-17"
        assert found["input.order_id"]["sample"] == "A-17"
        assert answer["sample"]["run_id"] == ran
        assert answer["sample"]["from"] == "run"

    def test_secrets_of_the_last_run_are_masked_before_anything_is_made_of_them(self, drafted):
        assert drafted.post("/api/v1/workflows/orders/publish").status_code == 201
        given = {"order_id": "A-17", "login": {"api_key": "sesame-sesame"}}
        drafted.post("/api/v1/runs", {"workflow": "orders", "input": given})
        factories.work()
        found = {entry["path"]: entry for entry in scope(drafted, node="tell")["entries"]}
        assert found["input.login.api_key"]["sample"] == MASK
        assert found["input.order_id"]["sample"] == "A-17"
        answer = evaluate(
            drafted, {"subject": "{{ input.login.api_key }} of {{ input.order_id }}"}, node="tell"
        )
        assert answer["value"] == {"subject": f"{MASK} of A-17"}

    def test_a_pinned_output_goes_before_the_last_runs(self, drafted, ran):
        answer = scope(drafted, node="tell", pins={"look": {"order": "pinned", "more": [1]}})
        found = {entry["path"]: entry for entry in answer["entries"]}
        assert found["steps.look.output.order"]["sample"] == "pinned"
        assert found["steps.look.output.more[0]"]["sample"] == 1
        assert answer["sample"]["pins"] == ["look"]

    def test_long_samples_are_cut(self, drafted):
        pins = {"look": {"order": "x" * 5_000, "many": ["x" * 100] * 100}}
        found = {entry["path"]: entry for entry in scope(drafted, node="tell", pins=pins)["entries"]}
        text = found["steps.look.output.order"]
        assert text["cut"] is True
        assert len(text["sample"]) < 2_048
        assert "sample" not in found["steps.look.output.many"]

    def test_there_are_at_most_400_entries(self, drafted):
        pins = {"look": {f"k{at}": {f"l{inner}": 1 for inner in range(50)} for at in range(50)}}
        assert len(scope(drafted, node="tell", pins=pins)["entries"]) == 400

    @pytest.mark.parametrize(
        ("asked", "field"),
        [
            ({"node": "nobody"}, "node"),
            ({}, "node"),
            ({"place": "when"}, "edge"),
            ({"place": "when", "edge": {"from": "nobody", "to": "ask"}}, "edge"),
        ],
    )
    def test_a_place_that_is_not_there_is_refused_by_field(self, drafted, asked, field):
        body = {"definition": DEFINITION, "place": "params", **asked}
        answer = drafted.post("/api/v1/workflows/orders/scope", body)
        assert answer.status_code == 400
        assert answer.json()["error"]["field"] == field

    @pytest.mark.parametrize("definition", [{}, {"nodes": [1, {"id": 7}], "edges": "x"}, {"nodes": []}])
    def test_a_broken_draft_has_a_scope_too(self, drafted, definition):
        body = {"definition": definition, "place": "output"}
        assert drafted.post("/api/v1/workflows/orders/scope", body).status_code == 200

    def test_steps_within_containers_count_for_how_many_there_may_be(self, drafted):
        steps = [{"id": f"s{at}", "type": "noop"} for at in range(DESIGNED_NODES)]
        each = {"id": "each", "type": "map", "params": {"items": [1], "body": {"steps": steps}}}
        asked = {"definition": {"name": "orders", "nodes": [each]}, "place": "params", "node": "s0"}
        answer = drafted.post("/api/v1/workflows/orders/scope", asked)
        assert answer.status_code == 400
        assert answer.json()["error"]["field"] == "definition.nodes"

    def test_functions_come_with_help(self, drafted):
        names = [function["name"] for function in scope(drafted, node="tell")["functions"]]
        assert {"has", "size", "filter"} <= set(names)

    def test_another_tenants_run_is_no_sample(self, drafted, ran, people):
        other = people.client("admin", tenant="theirs")
        other.post("/api/v1/workflows", {"name": "orders", "definition": DEFINITION})
        assert scope(other, node="tell")["sample"] is None


class TestEvaluate:
    def test_a_template_is_filled_in_with_the_last_run(self, drafted, ran):
        found = evaluate(drafted, "Order {{ steps.look.output.order }}!", node="tell", keys=["subject"])
        assert (found["value"], found["type"]) == ("Order A-17!", "string")
        assert found["reads"] == ["steps.look.output.order"]
        assert found["sample"]["run_id"] == ran
        assert found["mismatch"] is None
        assert found["problems"] == []

    def test_any_json_with_holes_is_a_template(self, drafted, ran):
        found = evaluate(drafted, {"a": ["{{ steps.look.output.order }}"]}, "input", node="tell")
        assert found["value"] == {"a": ["A-17"]}

    def test_a_condition_is_plain(self, drafted, ran):
        edge = {"from": "credit-score", "to": "ask"}
        found = evaluate(drafted, "output.score < 10", "when", edge=edge)
        assert (found["value"], found["type"]) == (False, "boolean")
        assert evaluate(drafted, "output.score", "when", edge=edge)["mismatch"].startswith(
            "A condition must be"
        )

    def test_a_wrong_expression_is_an_ordinary_answer_that_says_where(self, drafted):
        found = evaluate(drafted, "Order {{ input. }}", node="tell")
        assert "value" not in found
        assert found["error"]["code"] == "bad_expression"
        assert found["error"]["at"] >= len("Order {{ ")

    def test_what_fails_says_why(self, drafted, ran):
        found = evaluate(drafted, "{{ input.nothing }}", node="tell")
        assert found["error"]["code"] == "failed"
        assert "nothing" in found["error"]["message"]

    def test_without_a_run_it_says_of_which_step_nothing_is_known(self, drafted):
        found = evaluate(drafted, "{{ steps.look.output.order }}", node="tell")
        assert found["error"]["code"] == "no_sample"
        assert "Look it up" in found["error"]["message"]
        assert found["sample"] is None

    def test_a_sample_input_is_taken_where_there_was_no_run(self, drafted):
        definition = {**DEFINITION, "metadata": {"sample_input": {"order_id": "S-1"}}}
        found = evaluate(drafted, "{{ input.order_id }}", node="tell", definition=definition)
        assert found["value"] == "S-1"
        assert found["sample"]["from"] == "sample_input"

    def test_the_examples_of_the_schema_are_taken_where_there_is_no_sample_input(self, drafted):
        schema = {"type": "object", "properties": {"order_id": {"type": "string", "examples": ["E-1"]}}}
        definition = {**DEFINITION, "input_schema": {**schema, "required": ["order_id"]}}
        found = evaluate(drafted, "{{ input.order_id }}", node="tell", definition=definition)
        assert (found["value"], found["sample"]["from"]) == ("E-1", "schema")

    def test_a_given_input_goes_before_all(self, drafted, ran):
        found = evaluate(drafted, "{{ input.order_id }}", node="tell", input={"order_id": "G-1"})
        assert (found["value"], found["sample"]["from"]) == ("G-1", "given")

    def test_a_value_that_the_param_does_not_take_is_a_mismatch(self, drafted):
        found = evaluate(drafted, "{{ 7 }}", node="tell", keys=["subject"])
        assert found["value"] == 7
        assert "`params.subject` must be a text" in found["mismatch"]

    def test_a_value_that_may_be_missing_is_warned_of(self, drafted, ran):
        found = evaluate(drafted, "{{ steps.ask.output.why }}", node="tell")
        assert [problem["code"] for problem in found["problems"]] == ["value_not_on_every_path"]

    def test_macros_work(self, drafted):
        found = evaluate(drafted, "{{ [1, 2, 3].filter(n, n > 1) }}", node="tell")
        assert found["value"] == [2, 3]

    def test_many_macros_end_after_a_second(self, drafted):
        slow = "{{ input.n.exists(a, input.n.exists(b, a + b < 0)) }} "
        found = evaluate(drafted, slow * 1_000, node="tell", input={"n": list(range(95))})
        assert found["error"]["code"] == "failed"
        assert "longer than 1 s" in found["error"]["message"]

    def test_too_long_a_text_is_refused(self, drafted):
        asked = {"definition": DEFINITION, "place": "output", "text": "x" * 70_000}
        answer = drafted.post("/api/v1/workflows/orders/evaluate", asked)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, "text")


class TestRename:
    def rename(self, api, old, new, definition=DEFINITION):
        asked = {"definition": definition, "from": old, "to": new}
        return api.post("/api/v1/workflows/orders/rename-step", asked)

    def test_edges_and_expressions_follow(self, drafted):
        nodes = [
            *DEFINITION["nodes"][:3],
            {"id": "tell", "type": "noop", "input": {"o": "{{ steps.look.output.order }}"}},
        ]
        answer = self.rename(drafted, "look", "look-up", {**DEFINITION, "nodes": nodes})
        assert answer.status_code == 200
        found = answer.json()
        assert found["definition"]["nodes"][3]["input"] == {"o": '{{ steps["look-up"].output.order }}'}
        assert found["definition"]["edges"][0]["from"] == "look-up"
        assert found["changed"] == ["nodes[0].id", "nodes[3].input.o", "edges[0].from"]
        assert found["unread"] == []

    @pytest.mark.parametrize(
        ("old", "new", "field"),
        [("look", "ask", "to"), ("look", "1st", "to"), ("look", "", "to"), ("none", "b", "from")],
    )
    def test_a_taken_or_bad_id_is_refused_by_field(self, drafted, old, new, field):
        answer = self.rename(drafted, old, new)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


class TestRenameFact:
    ASK = {
        "id": "ask",
        "type": "human.approval",
        "params": {"title": "Pay?", "facts": {"Sum": "1", "Who": "2"}},
    }
    READER = {"id": "tell", "type": "noop", "params": {"x": "{{ prev.facts.Sum }}"}}
    WHOLE = {"name": "orders", "nodes": [ASK, READER], "edges": [{"from": "ask", "to": "tell"}]}

    def rename(self, api, old, new, step="ask"):
        asked = {"definition": self.WHOLE, "step": step, "from": old, "to": new}
        return api.post("/api/v1/workflows/orders/rename-fact", asked)

    def test_expressions_follow(self, drafted):
        found = self.rename(drafted, "Sum", "Net sum").json()
        assert [*found["definition"]["nodes"][0]["params"]["facts"]] == ["Net sum", "Who"]
        assert found["definition"]["nodes"][1]["params"] == {"x": '{{ prev.facts["Net sum"] }}'}
        assert found["changed"] == ["nodes[0].params.facts", "nodes[1].params.x"]

    @pytest.mark.parametrize(
        ("old", "new", "step", "field"),
        [
            ("Sum", "Who", "ask", "to"),
            ("Sum", "", "ask", "to"),
            ("None", "b", "ask", "from"),
            ("Sum", "b", "no", "step"),
        ],
    )
    def test_a_label_that_can_not_be_is_refused_by_field(self, drafted, old, new, step, field):
        answer = self.rename(drafted, old, new, step)
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
