"""A definition as Python: executed, it is the same definition, and nothing that it says is executed (R-006)."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.canonical import canonical_bytes, content_hash
from handoff.definition import Workflow, python_source
from tests.engine.strategies import QUICK, SOAK, case_from, cases
from workflows.versions.examples import examples

RUFF = Path(sys.executable).with_name("ruff")
NASTY = (
    '"""',
    "'''",
    "\\",
    '\\"',
    "'\"",
    'x")\nraise SystemExit("executed")\n("',
    "{workflow}",
    "%s{{ input.a }}",
    "\x00\x1b[31m\x7f\r\n\t\x85\u2028\u2029",
    "\u202emoc.live\u202c\u2066",
    "\ufeff# coding: utf-7",
    "\N{GRINNING FACE}\N{CJK UNIFIED IDEOGRAPH-4E2D}e\u0301",
    "one\ntwo\n\nthree " + "long " * 30,
    "#" * 200,
    "\\N{BULLET}\\x41\\u0041",
    "",
)


def executed(source):
    """What a definition's source gives; it may do nothing but assign, call and import the one module."""
    tree = ast.parse(source)
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert [ast.unparse(node) for node in tree.body if isinstance(node, ast.ImportFrom | ast.Import)] == [
        source.partition("\n")[0]
    ]
    assert {name.rpartition(".")[2] for name in called} <= {
        *("Workflow", "of", "Retry", "Compensation", "step", "edge", "when", "branch", "after")
    }
    names = {}
    exec(compile(source, "printed.py", "exec"), names)
    return names["workflow"].definition()


def comes_back(definition):
    """Asserts that the definition is the same after it was Python."""
    source = python_source(definition)
    assert executed(source) == definition, source
    assert content_hash(executed(source)) == content_hash(definition)
    source.encode()


def restyled(sources):
    """What the formatter would change in them."""
    told = subprocess.run(
        [RUFF, "format", "--isolated", "--diff", "--stdin-filename=x.py", "-"],
        input="\n\n".join(sources),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "error" not in told.stderr.lower(), told.stderr
    return told.stdout


@given(cases())
@QUICK
def test_any_workflow_comes_back_from_python(case):
    comes_back(case.definition)


@pytest.mark.soak
@given(cases())
@SOAK
def test_any_of_many_workflows_comes_back_from_python(case):
    comes_back(case.definition)


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_each_example_comes_back_from_python(example):
    comes_back(example.definition)
    assert restyled([python_source(example.definition)]) == ""


def test_what_is_printed_is_laid_out_as_the_formatter_does():
    bodies = [
        python_source(case_from(bytes((seed * 7 + at * at) % 256 for at in range(800))).definition)
        for seed in range(60)
    ]
    assert restyled(bodies) == ""


@pytest.mark.parametrize("text", NASTY)
def test_nasty_text_stays_text_wherever_it_stands(text):
    comes_back(
        {
            "name": "n",
            "title": text[:200],
            "description": text,
            "metadata": {text: [text, {text: text}]},
            "input_schema": {"title": text},
            "business_key": text,
            "output": text,
            "nodes": [
                {"id": "a", "type": f"a{text}", "title": text[:200], "params": {text: text}, "input": text},
                {"id": "b", "type": "noop", "compensate": {"type": f"b{text}", "params": {text: [text]}}},
            ],
            "edges": [
                {"from": "a", "to": "b", "when": text},
                {"from": "a", "to": "b", "branch": f"c{text}"},
                {"from": "a", "to": text},
            ],
        }
    )


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.sampled_from(NASTY),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=20), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
@QUICK
def test_any_json_stays_as_it_is(value):
    definition = {"name": "n", "nodes": [{"id": "a", "type": "t", "params": {"x": value}}], "metadata": value}
    assert canonical_bytes(executed(python_source(definition))) == canonical_bytes(definition)


@given(st.lists(st.text(st.sampled_from("abc\"'\n {}\u4e2d\u00e9 "), max_size=120), min_size=1, max_size=6))
@QUICK
def test_texts_are_laid_out_as_the_formatter_does(texts):
    assert (
        restyled(
            [
                python_source(
                    {
                        "name": "n",
                        "nodes": [{"id": "a", "type": "t", "params": {"x": texts, "y": {"z": texts[0]}}}],
                        "edges": [],
                    }
                )
            ]
        )
        == ""
    )


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"name": "n", "nodes": [], "edges": []},
        {"name": "n", "nodes": "none"},
        {"name": "n", "steps": ["text.clean"]},
        {"name": "n", "nodes": [{"id": "a b", "type": "t"}], "edges": []},
        {"name": "n", "nodes": [{"id": "a", "type": "t", "of_later": 1}], "edges": []},
        {"name": 'n"); import os; ("', "nodes": [], "edges": []},
    ],
)
def test_what_has_not_the_shape_of_a_definition_stands_in_it_as_json(document):
    source = python_source(document)
    assert "Workflow.of(" in source
    comes_back(document)


ONE = {"id": "a", "type": "noop"}


@pytest.mark.parametrize(
    "change",
    [
        {"edges": None},
        {"title": None, "metadata": None, "output": None, "sla_seconds": None},
        {"on_failure": "finish_others", "compensation": "parallel"},
        {"nodes": [ONE, ONE], "edges": [{"from": "a", "to": "a"}]},
        {"nodes": [{**ONE, "on_error": "branch"}, ONE], "edges": [{"from": "a", "to": "a", "on": "error"}]},
        {"edges": [{"from": "a", "to": "gone"}, {"from": "gone", "to": "a"}]},
        {"edges": [{"from": "a", "to": "a", "default": False}, {"from": "a", "to": "a", "when": None}]},
        {"edges": [{"from": "a", "to": "a", "when": "true", "branch": "x"}]},
        {"edges": [{"from": "a", "to": "a", "on": "error"}]},
        {"nodes": [{**ONE, "on_error": None}], "edges": [{"from": "a", "to": "a", "on": "error"}]},
        {"nodes": [{**ONE, "on_error": "ask"}]},
        {"nodes": [{**ONE, "on_error": "continue"}], "edges": [{"from": "a", "to": "a", "on": "error"}]},
        {"nodes": [{**ONE, "params": {}, "input": {}, "retry": {}, "join": {"n_of": 1}, "secrets": ["x"]}]},
        {"nodes": [{**ONE, "retry": {"max_retries": None, "non_retryable": ["A"]}, "priority": -3}]},
        {"nodes": [{**ONE, "boundary_timers": []}]},
        {"nodes": [{**ONE, "boundary_timers": [{"to": "a"}]}]},
        {"nodes": [{**ONE, "boundary_timers": [{"to": "a", "after_seconds": 5, "interrupting": None}]}]},
        {"nodes": [{**ONE, "boundary_timers": [{"to": "a", "after_seconds": 5, "duration": "P1D"}]}]},
        {"nodes": [{**ONE, "boundary_timers": [{"to": "a", "duration": None, "after_seconds": 5}]}]},
        {"nodes": [{**ONE, "boundary_timers": [{"to": "gone", "duration": "P1D"}]}]},
        {"nodes": [{**ONE, "compensate": {"type": "t", "retry": {"max_retries": 1}, "queue": None}}]},
    ],
)
def test_what_is_said_in_a_rare_way_comes_back_as_it_was_said(change):
    comes_back({"name": "n", "nodes": [ONE], "edges": [], **change})


def test_without_edges_there_are_none_after_it_either():
    comes_back({"name": "n", "nodes": [ONE]})


def test_variables_are_called_after_the_steps_and_never_after_what_python_needs():
    ids = [
        "send-mail",
        "send_mail",
        "import",
        "print",
        "workflow",
        "Retry",
        "__debug__",
        "_",
        "_1",
        "step",
        "x",
        "x_2",
        "x-2",
    ]
    source = python_source({"name": "n", "nodes": [{"id": one, "type": "noop"} for one in ids], "edges": []})
    assert [line.partition(" = ")[0] for line in source.splitlines() if ".step(" in line] == [
        *("send_mail", "send_mail_2", "import_", "print_", "workflow_", "Retry_", "debug", "step", "step_1"),
        *("step_2", "x", "x_2", "x_2_2"),
    ]
    comes_back({"name": "n", "nodes": [{"id": one, "type": "noop"} for one in ids], "edges": []})


def test_edges_are_chains_and_what_spreads_and_joins():
    edges = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e"), ("e", "f"), ("x", "f")]
    names = sorted({name for edge in edges for name in edge})
    source = python_source(
        {
            "name": "n",
            "nodes": [{"id": name, "type": "noop"} for name in names],
            "edges": [{"from": one, "to": other} for one, other in edges],
        }
    )
    assert source.rpartition("\n\n")[2] == "a >> [b, c] >> d >> e\n[e, x] >> f\n"


def test_a_definition_as_people_read_it():
    definition = {
        "name": "booking",
        "nodes": [
            {"id": "ask", "type": "job", "on_error": "branch", "retry": {"max_retries": 1}, "queue": "bank"},
            {
                "id": "wait",
                "type": "signal",
                "params": {"name": "x"},
                "boundary_timers": [{"duration": "P2D", "to": "stop"}],
            },
            {"id": "stop", "type": "noop"},
        ],
        "edges": [
            {"from": "ask", "to": "wait", "when": "output.ok"},
            {"from": "ask", "to": "stop", "default": True},
            {"from": "ask", "to": "stop", "on": "error"},
        ],
    }
    assert python_source(definition) == (
        "from handoff.definition import Retry, Workflow\n\n"
        'workflow = Workflow("booking")\n\n'
        'ask = workflow.step("ask", "job", retry=Retry(max_retries=1), queue="bank")\n'
        'wait = workflow.step("wait", "signal", params={"name": "x"})\n'
        'stop = workflow.step("stop", "noop")\n\n'
        'ask.when("output.ok") >> wait\n'
        "[ask.otherwise, ask.failed] >> stop\n"
        'wait.after("P2D") >> stop\n'
    )
    comes_back(definition)


def test_a_workflow_of_json_can_be_gone_on_with():
    workflow = Workflow.of({"name": "n", "nodes": [ONE]})
    workflow.step("b", "noop")
    workflow.edge("a", "b")
    assert workflow.build()["edges"] == [{"from": "a", "to": "b"}]
