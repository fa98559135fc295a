"""A signal to a run finds the step that waits for it in the whole tree of runs: in rounds, items and child runs."""

import pytest

from lib.refusals import Missing
from lib.uuid7 import uuid7
from runs.commands.signals import NewSignal, send_signals
from runs.integrity.repair import repair
from runs.kernel import messages
from runs.kernel.refused import RunRefused
from runs.models import Run, RunMessage, Signal, StepExecution
from runs.workers.drain import Drain
from tests import factories as make
from tests.invariants import broken
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

GO = {"id": "go", "type": "signal", "params": {"name": "go"}}
STEPS = {"steps": [{"id": "x", "type": "noop"}, GO]}
SUB = {"id": "sub", "type": "subworkflow", "params": {"workflow": "child"}}


def container(kind, **params):
    """A definition of a container whose body waits for the signal `go`."""
    return {"name": kind, **make.graph([{"id": kind, "type": kind, "params": {"body": STEPS, **params}}], [])}


MAP = container("map", items="{{ input.items }}")
LOOP = container("loop", count=5)
CHILD = {**make.graph([GO], []), "name": "child"}
PARENT = {**make.graph([SUB], []), "name": "parent"}
NESTED = {
    **make.graph(
        [{"id": "m", "type": "map", "params": {"items": "{{ input.items }}", "body": {"steps": [SUB]}}}], []
    ),
    "name": "nested",
}


def published(definition):
    return make.VersionFactory(workflow__tenant=make.a_tenant(), workflow__draft_definition=definition)


def begun(definition, *, quiet=True, **given):
    """A run of a definition whose child runs wait for `go`."""
    if definition in (PARENT, NESTED):
        published(CHILD)
    run_id = make.start_version(published(definition), {"items": [1, 2, 3], **given})[0]
    if quiet:
        make.work()
    return run_id


def send(run_id, payload=None, *, name="go", signal_id=None, **address):
    signal = NewSignal(signal_id or uuid7(), name, payload, **address)
    return send_signals(make.a_tenant().pk, [(run_id, signal)], by="test")[0]


def waiting(tree):
    """The open waits of a tree, the oldest first."""
    below = Run.unsafe_all_tenants.filter(tree_id=tree)
    steps = StepExecution.unsafe_all_tenants.filter(status="WAITING", waiting__kind="signal")
    return list(steps.filter(run_id__in=[tree, *below.values_list("pk", flat=True)]).order_by("pk"))


def taken(tree):
    """What the steps of a tree took, in the order of its runs."""
    below = Run.unsafe_all_tenants.filter(tree_id=tree).order_by("pk").values_list("pk", flat=True)
    return [step.output for run in below for node, step in make.steps(run).items() if node == "go"]


@pytest.mark.parametrize("definition", [MAP, LOOP, PARENT, NESTED], ids=lambda one: one["name"])
def test_a_signal_to_the_root_ends_the_oldest_wait_below_it(definition):
    run_id = begun(definition, items=[1])
    (wait,) = waiting(run_id)
    sent = send(run_id, {"n": 1})
    index = None if definition is PARENT else 0
    assert (sent.is_new, sent.is_kept) == (True, False)
    assert [tuple(place) for place in sent.delivered] == [(str(wait.run_id), "go", index)]
    make.work()
    assert taken(run_id)[0] == {"n": 1}
    assert not RunMessage.unsafe_all_tenants.exists()
    assert make.run(run_id).status == ("RUNNING" if definition is LOOP else "COMPLETED")


@pytest.mark.parametrize("definition", [MAP, LOOP, PARENT, NESTED], ids=lambda one: one["name"])
def test_an_early_signal_is_kept_by_the_root_for_the_step_that_begins_to_wait(definition):
    run_id = begun(definition, quiet=False, items=[1])
    assert send(run_id, {"n": 1}).is_kept
    make.work()
    assert taken(run_id)[0] == {"n": 1}
    assert Signal.unsafe_all_tenants.get().consumed_at is not None


def test_each_signal_goes_to_one_item_the_oldest_wait_first():
    run_id = begun(MAP)
    first, second, third = waiting(run_id)
    places = [send(run_id, n).delivered for n in range(3)]
    assert [str(place.run) for (place,) in places] == [str(one.run_id) for one in (first, second, third)]
    assert send(run_id, 3).is_kept
    make.work()
    assert sorted(taken(run_id)) == [0, 1, 2]


def test_signals_of_one_batch_go_to_as_many_items():
    run_id = begun(MAP)
    signals = [(run_id, NewSignal(uuid7(), "go", n)) for n in range(4)]
    became = send_signals(make.a_tenant().pk, signals, by="test")
    assert [one.is_kept for one in became] == [False, False, False, True]
    make.work()
    assert sorted(taken(run_id)) == [0, 1, 2]


def test_an_index_says_which_item():
    run_id = begun(MAP)
    (place,) = send(run_id, "second", index=1).delivered
    assert place.item == 1
    make.work()
    assert taken(run_id) == [None, "second", None]
    with pytest.raises(RunRefused) as refused:
        send(run_id, index=1)
    assert (refused.value.code, refused.value.field) == ("no_such_item", "index")
    with pytest.raises(RunRefused):
        send(run_id, index=3)


def test_an_early_signal_for_an_item_waits_for_that_item():
    run_id = begun(MAP, quiet=False)
    assert send(run_id, "third", index=2).is_kept
    make.work()
    assert taken(run_id) == [None, None, "third"]


@pytest.mark.parametrize(
    ("terms", "most"),
    [
        ({"count": 3}, 3),
        ({"while": "output != 'enough'", "max_iterations": 4}, 4),
        ({"until": "output == 'enough'", "count": 2, "max_iterations": 9}, 2),
    ],
)
def test_an_index_of_a_round_that_is_over_or_never_comes_is_refused(terms, most):
    run_id = begun(container("loop", **terms))
    send(run_id, "first", index=0)
    make.work()
    assert taken(run_id)[0] == "first"
    for index in (0, most, most + 5):
        with pytest.raises(RunRefused) as refused:
            send(run_id, index=index)
        assert (refused.value.code, refused.value.field) == ("no_such_item", "index")
    if most > 2:
        assert send(run_id, "later", index=most - 1).is_kept
    assert send(run_id, "now", index=1).delivered
    make.work()
    assert taken(run_id)[1] == "now"


def test_an_index_of_items_that_another_round_may_bring_is_kept():
    inner = {"id": "m", "type": "map", "params": {"items": [1, 2, 3, 4], "body": STEPS}}
    body = {"steps": [GO, inner]}
    run_id = begun(make.graph([{"id": "loop", "type": "loop", "params": {"body": body, "count": 2}}], []))
    assert send(run_id, "third", index=3).is_kept
    send(run_id, index=0)
    make.work()
    assert "third" in [step.output for step in StepExecution.unsafe_all_tenants.filter(node="go")]


def test_an_index_is_refused_where_nothing_has_items():
    run_id = make.start(make.graph([GO], []))[0]
    make.work()
    with pytest.raises(RunRefused) as refused:
        send(run_id, index=0)
    assert (refused.value.code, refused.value.field) == ("no_such_item", "index")
    assert not Signal.unsafe_all_tenants.exists()


def test_a_child_says_whose_wait_it_is_with_all_that_it_began():
    run_id = begun(NESTED)
    items = make.children_of(run_id)
    grandchildren = [make.children_of(str(one.pk))[0] for one in items]
    by_item = send(run_id, "item", child=str(items[1].pk))
    itself = send(run_id, "itself", child=str(grandchildren[2].pk))
    assert [one.delivered[0].run for one in (by_item, itself)] == [str(one.pk) for one in grandchildren[1:]]
    make.work()
    assert taken(run_id) == [None, "item", "itself"]
    assert send(run_id, child=str(items[0].pk), name="later").is_kept
    other = begun(MAP)
    for stranger in (str(make.children_of(other)[0].pk), uuid7(), run_id):
        with pytest.raises(Missing) as missing:
            send(run_id, child=stranger)
        assert missing.value.field == "child"


def test_all_open_waits_take_one_signal():
    run_id = begun(MAP)
    sent = send(run_id, "all", to_all=True)
    assert sorted(place.item for place in sent.delivered) == [0, 1, 2]
    make.work()
    assert taken(run_id) == ["all"] * 3
    assert make.run(run_id).status == "COMPLETED"


def test_all_reaches_waits_of_the_root_as_well_as_below_it():
    nodes = [GO, {"id": "map", "type": "map", "params": {"items": [1, 2], "body": STEPS}}]
    run_id = make.start(make.graph(nodes, []))[0]
    make.work()
    assert len(send(run_id, "all", to_all=True).delivered) == 3
    assert make.steps(run_id)["go"].output == "all"
    make.work()
    assert taken(run_id) == ["all"] * 2
    assert make.run(run_id).status == "COMPLETED"


def test_to_all_where_nobody_waits_it_is_kept_for_one():
    run_id = begun(MAP, quiet=False)
    assert send(run_id, "early", to_all=True).is_kept
    make.work()
    assert sorted(taken(run_id), key=str) == [None, None, "early"]


def test_a_signal_to_the_run_of_a_child_is_for_that_child():
    run_id = begun(MAP)
    child = make.children_of(run_id)[1]
    (place,) = send(str(child.pk), "mine").delivered
    assert place.run == str(child.pk)
    make.work()
    assert taken(run_id) == [None, "mine", None]
    with pytest.raises(RunRefused) as refused:
        send(str(child.pk), "late")
    assert refused.value.code == "run_ended"


def test_an_early_signal_to_the_run_of_a_child_is_kept_for_that_child():
    run_id = begun(MAP, quiet=False)
    Drain("engine").run()
    second = make.children_of(run_id)[1]
    assert send(str(second.pk), "mine").is_kept
    make.work()
    assert taken(run_id) == [None, "mine", None]


def test_an_id_is_one_message_in_the_whole_tree():
    run_id = begun(MAP)
    first = send(run_id, 1, signal_id="s")
    child = str(waiting(run_id)[2].run_id)
    for again in (send(run_id, 1, signal_id="s"), send(child, 1, signal_id="s")):
        assert (again.is_new, again.delivered) == (False, first.delivered)
    make.work()
    assert (send(run_id, 1, signal_id="s").delivered, len(waiting(run_id))) == (first.delivered, 2)
    with pytest.raises(RunRefused) as refused:
        send(child, 2, signal_id="s")
    assert refused.value.code == "signal_mismatch"


def test_a_signal_whose_step_waits_no_more_goes_to_another_wait():
    run_id = begun(MAP)
    first, *_ = waiting(run_id)
    assert send(run_id, "go on").delivered[0].run == str(first.run_id)
    make.skip(str(first.run_id), "go", "skipped")
    make.work()
    assert taken(run_id) == ["skipped", "go on", None]


def test_a_signal_whose_only_step_waits_no_more_is_kept():
    run_id = begun(LOOP)
    assert send(run_id, 1).delivered
    make.skip(str(make.children_of(run_id)[0].pk), "go", 0)
    make.work()
    assert taken(run_id)[:2] == [0, 1]


def test_a_signal_that_comes_back_when_the_root_has_ended_is_unread():
    run_id = begun(MAP, items=[1])
    signal_id = uuid7()
    assert send(run_id, 1, signal_id=signal_id).delivered
    make.cancel(run_id)
    make.cancel(str(make.children_of(run_id)[0].pk))
    make.work()
    assert make.run(run_id).status == "CANCELLED"
    assert send(run_id, 1, signal_id=signal_id).is_kept
    assert Signal.unsafe_all_tenants.get().step_id is None


def test_signals_are_taken_while_the_tree_is_paused():
    run_id = make.start(make.mapped(STEPS), {"items": [1]})[0]
    make.work()
    make.pause(run_id)
    make.work("engine")
    assert send(run_id, "now").delivered
    make.work()
    assert taken(run_id) == ["now"]
    assert (make.run(run_id).status, make.statuses(run_id)["after"]) == ("PAUSED", "QUEUED")


def test_a_root_that_has_ended_refuses_signals():
    run_id = begun(MAP, items=[])
    with pytest.raises(RunRefused, match="takes no more signals"):
        send(run_id)


def test_a_compensation_in_a_child_takes_a_signal():
    undone = {"type": "signal", "params": {"name": "undone"}}
    job = {"id": "j", "type": "job", "queue": "jobs"}
    child = make.graph([{"id": "a", "type": "noop", "compensate": undone}, job], ["a>j"])
    published({**child, "name": "child"})
    run_id = make.start_version(published(PARENT), {})[0]
    make.work()
    (below,) = make.children_of(run_id)
    make.fail(*make.claimed("jobs"))
    assert make.run(str(below.pk)).status == "COMPENSATING"
    make.work("engine")
    assert send(str(below.pk), name="undone").delivered
    make.work()
    assert make.run(str(below.pk)).status == "COMPENSATED"


def test_a_run_that_goes_on_as_a_new_one_has_its_signals_with_it(monkeypatch, settings):
    monkeypatch.setattr("runs.kernel.rounds.LOOKS_EACH", 1)
    settings.HANDOFF_CONTINUE_AFTER_EVENTS = 1
    run_id = begun(LOOP)
    assert send(run_id, 1).delivered
    make.work()
    newest = Run.unsafe_all_tenants.filter(root_id=run_id).order_by("-pk").first()
    assert (make.run(run_id).status, str(newest.pk) != run_id) == ("CONTINUED", True)
    assert send(run_id, 2).delivered
    make.work()
    assert taken(run_id)[:2] == [1, 2]


def test_a_signal_may_find_a_step_whose_question_is_still_on_its_way(monkeypatch):
    run_id = begun(MAP, quiet=False, items=[1])
    with monkeypatch.context() as patch:
        patch.setattr(messages, "deliver", lambda: 0)
        for queue in ("engine", "engine", "default", "engine"):
            Drain(queue).run()
    assert RunMessage.unsafe_all_tenants.filter(kind="signal_wanted").exists()
    assert send(run_id, "one").delivered
    assert send(run_id, "two").is_kept
    make.work()
    assert taken(run_id) == ["one"]


def test_a_wait_below_has_a_wake_source_and_a_lost_message_is_repaired():
    run_id = begun(MAP, items=[1])
    assert send(run_id, "go on").delivered
    assert not broken()
    RunMessage.unsafe_all_tenants.all().delete()
    (finding,) = broken()["whatever is open has a wake source"]
    assert finding.what == "waiting for nothing"
    assert repair([finding]) == 1
    make.work()
    assert taken(run_id) == ["go on"]


def test_a_flat_run_sends_no_statement_more():
    run_id = make.start(make.graph([GO], []))[0]
    make.work()
    with watching() as seen:
        send(run_id)
    assert [name for name in seen.named if "signal" in name or "wait" in name] == [
        "insert_signals",
        "signal_waits",
        "take_signals",
    ]
