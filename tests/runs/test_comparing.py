"""Two runs side by side: values part by part, the way that each went, and where they first differ."""

import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.refusals import Missing
from runs.limits import CHANGE_CHARACTERS
from runs.models import Run
from runs.reading import compared
from runs.reading.changes import changes
from runs.reading.compared import compared_runs
from runs.reading.comparing import merged
from runs.reading.comparing_words import said
from tests import factories as make
from tests.store.watching import watching

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=4),
    max_leaves=20,
)
FORK = make.graph(
    [
        {"id": "a", "type": "noop"},
        {"id": "big", "type": "noop"},
        {"id": "small", "type": "noop"},
        {"id": "end", "type": "noop", "join": "any"},
    ],
    [
        {"from": "a", "to": "big", "when": "input.n > 10"},
        {"from": "a", "to": "small", "default": True},
        {"from": "big", "to": "end"},
        {"from": "small", "to": "end"},
    ],
)


def told(left, right, most=100):
    return [(one.path, one.kind, one.left, one.right) for one in changes(left, right, most).changes]


def both(version, left, right):
    """Two runs of a version that have done what they could, side by side."""
    runs = make.start_version(version, left, right)
    make.work()
    return compared_runs(version.tenant_id, *runs)


def step(found, node):
    return next(one for one in found["steps"] if one["node"] == node)


def test_values_are_told_part_by_part_by_their_paths():
    left = {"a": {"b c": 1}, "list": [1, {"x": True}], "gone": None, "n": 1}
    right = {"a": {"b c": 2}, "list": [1, {"x": 1}], "n": 1.0, "new": []}
    assert told(left, right) == [
        ('a["b c"]', "changed", 1, 2),
        ("list[1].x", "changed", True, 1),
        ("gone", "left_only", None, None),
        ("new", "right_only", None, []),
    ]
    assert told("a", {"a": 1}) == [("", "changed", "a", {"a": 1})]


def test_of_two_lists_their_lengths_come_first():
    assert told([1, 2], [3]) == [
        ("", "length", 2, 1),
        ("[0]", "changed", 1, 3),
        ("[1]", "left_only", 2, None),
    ]


def test_so_many_changes_are_told_and_that_there_are_more():
    found = changes(list(range(500)), list(range(1, 501)))
    assert (found.same, len(found.changes), found.more) == (False, 100, True)
    assert not changes([0] * 100, [1] * 100).more
    assert changes(1, 2, most=0).more


def test_of_a_long_text_the_part_is_told_in_which_it_differs():
    alike = "x" * 5_000
    (change,) = changes(alike + "left" + alike, alike + "right" + alike).changes
    assert change.cut == ["left", "right"]
    assert "left" in change.left
    assert len(change.right) <= CHANGE_CHARACTERS + 2
    (change,) = changes({"a": ["y" * 1_000]}, {"a": None}).changes
    assert (change.path, change.right, change.cut) == ("a", None, ["left"])


def test_deep_values_are_walked_without_recursion():
    deep = [0]
    for _ in range(5_000):
        deep = [deep]
    assert changes(deep, deep).same


@given(VALUES, VALUES)
def test_no_changes_are_told_of_what_is_the_same_alone(left, right):
    assert changes(left, left).same
    assert changes(left, right).same == (repr_of(left) == repr_of(right))


def repr_of(value):
    """A text that two values share if they are the same JSON."""
    if isinstance(value, dict):
        return f"object {sorted((name, repr_of(part)) for name, part in value.items())}"
    return repr([[repr_of(part) for part in value]]) if isinstance(value, list) else repr(value)


@given(st.lists(st.sampled_from("abcdef"), unique=True), st.lists(st.sampled_from("abcdef"), unique=True))
def test_steps_of_two_versions_stand_once_each_in_the_order_of_the_left_one(left, right):
    names = merged(left, right)
    assert sorted(names) == sorted({*left, *right})
    assert [name for name in names if name in left] == left


def test_steps_of_a_newer_version_stand_where_they_are_in_it():
    assert merged(["a", "b", "d"], ["a", "new", "b", "c", "d", "last"]) == [
        "a",
        "new",
        "b",
        "c",
        "d",
        "last",
    ]


@pytest.mark.django_db
def test_runs_that_did_the_same_have_no_difference():
    found = both(make.a_version(make.chain("noop", "noop")), {"n": 1}, {"n": 1})
    assert (found["first_difference"], found["ways_part"], found["same_version"]) == (None, None, True)
    assert [one["path"] for one in found["steps"]] == ["both", "both"]
    assert found["input"]["same"]
    assert found["output"]["same"]
    assert all(run["duration_seconds"] is not None for run in found["runs"])
    assert said(found) == "There is no difference: the same steps, with the same input and output."


@pytest.mark.django_db
def test_the_first_difference_is_the_input_and_then_the_first_step_with_another():
    found = both(make.a_version(FORK), {"n": 11}, {"n": 1})
    assert found["first_difference"] == {"node": None, "what": "input"}
    assert step(found, "a")["differs"] == ["input", "output"]
    assert found["ways_part"] == {"node": "big", "what": "path"}
    assert [step(found, node)["path"] for node in ("a", "big", "small", "end")] == [
        "both",
        "left",
        "right",
        "both",
    ]
    assert step(found, "a")["input_changes"] == [
        {"path": "n", "kind": "changed", "left": 11, "right": 1, "cut": []}
    ]
    assert said(found) == (
        "They were started with different input (`n`). The paths diverge where only A reached “Do nothing (big)”, B"
        " did not."
    )


@pytest.mark.django_db
def test_a_step_that_fails_in_one_of_them_is_the_first_difference():
    version = make.a_version(make.chain("noop", "noop"))
    runs = make.start_version(version, {"n": 1}, {"n": 1})
    make.complete(*make.claimed(), output={"n": 1})
    first, second = sorted(make.claimed(), key=lambda one: runs.index(one.run_id))
    make.complete(first, output={"ok": True})
    make.fail(second)
    make.work()
    found = compared_runs(version.tenant_id, *runs)
    assert found["first_difference"] == {"node": "b", "what": "status"}
    assert step(found, "b")["differs"][0] == "status"
    assert said(found).endswith("“Do nothing (b)” completed in A and failed in B.")


@pytest.mark.django_db
def test_another_output_of_the_same_input_is_said_so():
    version = make.a_version(make.chain("noop", "noop"))
    runs = make.start_version(version, {"n": 1}, {"n": 1})
    for number, claimed in enumerate(make.claimed()):
        make.complete(claimed, output={"n": number})
    make.work()
    found = compared_runs(version.tenant_id, *runs)
    assert found["first_difference"] == {"node": "a", "what": "output"}
    assert "from the same input (`n`)" in said(found)


@pytest.mark.django_db
def test_what_an_open_run_has_not_come_to_yet_is_no_difference():
    version = make.a_version(make.chain("noop", "noop"))
    done, still = make.start_version(version, {"n": 1}, {"n": 1})
    make.complete(next(one for one in make.claimed() if one.run_id == done), output=1)
    make.work()
    found = compared_runs(version.tenant_id, done, still)
    assert found["first_difference"] is None
    assert step(found, "b")["path"] == "left"
    assert found["runs"][1]["duration_seconds"] is None
    assert said(found).startswith("So far there is no difference")


@pytest.mark.django_db
def test_versions_and_workflows_are_told_apart():
    old = make.a_version(make.chain("noop", "noop"))
    new = make.next_version(old.workflow, make.chain("noop", "noop", "noop"))
    left, right = make.start_version(old, 1)[0], make.start_version(new, 1)[0]
    other = make.start(make.chain("noop"), 1)[0]
    make.work()
    found = compared_runs(old.tenant_id, left, right)
    assert (found["same_version"], found["first_difference"]["what"]) == (False, "version")
    assert (step(found, "c")["left"], step(found, "c")["path"]) == (None, "right")
    assert "A v1 and B v2" in said(found)
    assert compared_runs(old.tenant_id, left, other)["first_difference"]["what"] == "workflow"


@pytest.mark.django_db
def test_large_values_are_told_to_be_the_same_or_not_without_being_read(monkeypatch):
    monkeypatch.setattr(compared, "SHOWN", compared.Bounds(200, 200, 1_000))
    version = make.a_version(make.chain("noop", "noop"))
    same = both(version, {"text": "x" * 500}, {"text": "x" * 500})
    assert (same["input"]["same"], same["output"]["same"], same["first_difference"]) == (True, True, None)
    other = both(version, {"text": "x" * 500}, {"text": "y" * 500})
    assert (other["input"]["same"], other["input"]["changes"]) == (False, [])
    assert step(other, "b")["output_same"] is False
    assert step(other, "b")["not_told"]["output"].startswith("Too large")


@pytest.mark.django_db
def test_values_beside_the_database_are_compared_and_told_to_be_lost(settings, tmp_path, monkeypatch):
    folder = tmp_path / "payloads"
    settings.HANDOFF_BLOBS, settings.HANDOFF_BLOB_BYTES = folder.as_uri(), 200
    version = make.a_version(make.chain("noop"))
    left, same, other = make.start_version(version, *({"text": letter * 500} for letter in "xxy"))
    make.work()
    tenant = version.tenant_id
    assert compared_runs(tenant, left, same)["input"]["same"]
    assert compared_runs(tenant, left, other)["input"]["changes"][0]["path"] == "text"
    shutil.rmtree(folder)
    lost = compared_runs(tenant, left, other)["input"]
    assert (lost["same"], lost["changes"]) == (False, [])
    assert lost["why"]
    # By its digest it is known even then.
    assert compared_runs(tenant, left, same)["input"]["same"]


@pytest.mark.django_db
def test_a_comparison_takes_as_many_statements_for_fifty_steps_as_for_two(monkeypatch):
    monkeypatch.setattr(compared, "SHOWN", compared.Bounds(200, 200, 1_000))
    costs = []
    for count in (2, 50):
        version = make.a_version(make.chain(*["noop"] * count))
        runs = make.start_version(version, {"text": "x" * 500}, {"text": "y" * 500})
        make.work()
        compared_runs(version.tenant_id, *runs)
        with watching() as seen:
            compared_runs(version.tenant_id, *runs)
        costs.append(seen.trips)
    assert costs[0] == costs[1] <= 2


@pytest.mark.django_db
def test_a_run_of_another_tenant_is_not_there():
    version = make.a_version(make.chain("noop"))
    (run_id,) = make.start_version(version, 1)
    elsewhere = make.a_version(make.chain("noop"), tenant=make.a_tenant("elsewhere"))
    (other,) = make.start_version(elsewhere, 1)
    for pair in ((run_id, other), (other, run_id)):
        with pytest.raises(Missing):
            compared_runs(version.tenant_id, *pair)
    assert Run.unsafe_all_tenants.filter(pk=other).exists()
