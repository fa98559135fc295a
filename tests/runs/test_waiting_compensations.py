"""Compensations that wait: for time, a signal, a person. They are tasks, timers and consumers like any step that waits,
and the verbs reach them; and every type of the catalogue can undo."""

from itertools import pairwise

import pytest

from engine.validate import validate
from runs.commands.lifecycle import cancel_runs, pause_runs
from runs.integrity.verify import verify
from runs.kernel.refused import RunRefused
from runs.maintenance import stuck
from runs.models import Repair, Signal, Timer
from runs.reading.presentation import found_run
from steps.catalogue import CATALOGUE
from tasks_inbox.duties import clock as tasks_clock
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.answering import answering, http
from tests.inbox.asking import decide, member, task_of
from tests.llm_answers import said
from tests.smtp import mailbox

pytestmark = pytest.mark.django_db

WAIT = {"type": "wait", "params": {"seconds": 3600}}
SIGNAL = {"type": "signal", "params": {"name": "undone"}}
APPROVAL = {"type": "human.approval", "params": {"title": "Was it undone?"}}
FORM = {"type": "human.form", "params": {"title": "Receipt of the refund"}}


def saga(undo, *more):
    """A job that can be undone so, after `more` nodes before it, and one that will fail."""
    nodes = [*more, {"id": "charge", "type": "job", "queue": "charge", "compensate": undo}]
    nodes += [{"id": "tell", "type": "job", "queue": "tell", "retry": "none"}]
    return make.graph(nodes, [f"{one['id']}>{two['id']}" for one, two in pairwise(nodes)])


def failed(undo, *more):
    """A run that has failed and undoes what it did so."""
    (run_id,) = make.start(saga(undo, *more), {"order": "A-17", "amount": 120})
    if more:
        make.complete(*make.claimed(more[0]["queue"]), output={"room": 5})
    make.complete(*make.claimed("charge"), output={"receipt": 7})
    make.fail(*make.claimed("tell"))
    make.work()
    return run_id


def of(run_id):
    return make.steps(run_id)["charge:compensate"]


def is_sound(run_id):
    assert list(verify([run_id])) == []
    assert stuck.check() == 0
    return True


@pytest.mark.parametrize("undo", [WAIT, SIGNAL, APPROVAL, FORM], ids=lambda undo: undo["type"])
def test_it_waits_and_everybody_is_told_for_what(undo):
    run_id = failed(undo)
    assert (make.run(run_id).status, of(run_id).status) == ("COMPENSATING", "WAITING")
    shown = found_run(make.a_tenant().pk, run_id)
    kind = {"wait": "2", "signal": "the signal undone", "human.approval": "somebody to decide"}
    words = kind.get(undo["type"], "somebody to fill in")
    assert shown["steps"][-1]["waiting_for"].startswith(words)
    assert shown["waiting_for"].startswith(
        f"It undoes what was done: Undo External job (charge) waits for {words}"
    )
    assert is_sound(run_id)


def test_a_timer_ends_it(clock):
    run_id = failed(WAIT)
    assert make.pending_timers(run_id) == [("charge:compensate", "wait")]
    clock.advance(3599)
    assert make.tick() == 0
    clock.advance(1)
    assert make.tick() == 1
    assert make.run(run_id).status == "COMPENSATED"
    assert make.pending_timers(run_id) == []
    assert of(run_id).output["fired_at"].startswith("2031-01-01T10:00:00")
    assert is_sound(run_id)


def test_a_signal_ends_it_also_one_that_came_early():
    late, early = failed(SIGNAL), None
    assert make.send(late, "undone", {"refund": 5}, signal_id="s-1")
    assert not make.send(late, "undone", {"refund": 5}, signal_id="s-1")
    assert (make.run(late).status, of(late).output) == ("COMPENSATED", {"refund": 5})
    (early,) = make.start(saga(SIGNAL))
    make.send(early, "undone", {"early": True})
    make.complete(*make.claimed("charge"), output={})
    make.fail(*make.claimed("tell"))
    make.work()
    assert (make.run(early).status, of(early).output) == ("COMPENSATED", {"early": True})
    assert is_sound(late)
    assert is_sound(early)


def test_a_signal_that_comes_while_another_compensation_is_at_work_is_kept_for_it():
    first = {"id": "reserve", "type": "job", "queue": "reserve", "compensate": SIGNAL}
    run_id = failed({"type": "job", "queue": "undo"}, first)
    make.send(run_id, "undone", {"n": 1})
    make.complete(*make.claimed("undo"), output={})
    make.work()
    assert make.run(run_id).status == "COMPENSATED"
    with pytest.raises(RunRefused, match="COMPENSATED"):
        make.send(run_id, "undone")


def test_a_signal_to_a_run_that_undoes_and_waits_for_none_is_refused():
    run_id = failed(WAIT)
    with pytest.raises(RunRefused, match="COMPENSATING"):
        make.send(run_id, "undone")


def test_a_signal_that_does_not_come_is_a_compensation_that_failed(clock):
    run_id = failed({**SIGNAL, "params": {"name": "undone", "timeout_seconds": 60}, "retry": "none"})
    clock.advance(60)
    make.tick()
    assert make.run(run_id).status == "WAITING_FOR_MANUAL_ACTION"
    assert of(run_id).error["code"] == "SignalTimeout"
    assert task_of(run_id).kind == "compensation"
    make.retry(run_id, "charge:compensate")
    make.work()
    assert (make.run(run_id).status, of(run_id).status) == ("COMPENSATING", "WAITING")
    make.send(run_id, "undone", {"n": 2})
    assert make.run(run_id).status == "COMPENSATED"
    assert is_sound(run_id)


def test_a_person_decides_and_the_run_goes_on_undoing():
    first = {"id": "reserve", "type": "job", "queue": "reserve", "compensate": FORM}
    run_id = failed(APPROVAL, first)
    task = task_of(run_id)
    assert (task.kind, task.node) == ("approval", "charge:compensate")
    decide(member("ann"), task)
    make.work()
    assert (of(run_id).output["outcome"], make.run(run_id).status) == ("approved", "COMPENSATING")
    decide(member("ann"), task_of(run_id), "submitted")
    assert make.run(run_id).status == "COMPENSATED"
    assert is_sound(run_id)


def test_a_deadline_decides(clock):
    params = {"title": "Undone?", "due_seconds": 60, "on_timeout": "rejected", "reminders": [30]}
    run_id = failed({**APPROVAL, "params": params})
    clock.advance(60)
    tasks_clock.tick()
    assert make.run(run_id).status == "COMPENSATED"
    assert of(run_id).output["outcome"] == "rejected"


@pytest.mark.parametrize("undo", [WAIT, SIGNAL, APPROVAL], ids=lambda undo: undo["type"])
def test_an_operator_skips_one_that_waits(undo):
    run_id = failed(undo)
    make.skip(run_id, "charge:compensate", {"by": "hand"})
    step = of(run_id)
    assert (step.status, step.cancel_cause, step.output) == ("SKIPPED", "done by hand", {"by": "hand"})
    assert make.run(run_id).status == "COMPENSATED"
    assert make.pending_timers(run_id) == []
    assert not ManualTask.unsafe_all_tenants.filter(run_id=run_id, status="OPEN").exists()
    assert is_sound(run_id)


def test_what_can_be_done_is_offered_and_said():
    run_id = failed(SIGNAL)
    tenant = make.a_tenant().pk
    shown = found_run(tenant, run_id)
    assert shown["steps"][-1]["verbs"] == ["skip"]
    with pytest.raises(RunRefused, match="send what it waits for, or skip it"):
        make.retry(run_id, "charge:compensate")
    with pytest.raises(RunRefused, match="takes no other input"):
        make.retry(run_id, "charge:compensate", {"another": "input"})
    with pytest.raises(RunRefused, match="being undone"):
        make.cancel(run_id)
    with pytest.raises(RunRefused, match="Only a RUNNING run"):
        pause_runs(tenant, [run_id], by="test")
    make.send(run_id, "undone")
    with pytest.raises(RunRefused, match="can't be skipped"):
        make.skip(run_id, "charge:compensate", {})


def test_a_failed_one_is_skipped_or_tried_again_where_the_step_is():
    run_id = failed({"type": "job", "queue": "undo", "retry": "none"})
    make.fail(*make.claimed("undo"))
    shown = found_run(make.a_tenant().pk, run_id)
    assert shown["steps"][-1]["verbs"] == ["retry", "skip"]
    make.retry(run_id, "charge:compensate")
    assert again_status(run_id) == ("COMPENSATING", "QUEUED")
    assert task_of(run_id).status == "COMPLETED"
    make.fail(*make.claimed("undo"))
    make.skip(run_id, "charge:compensate", {"by": "hand"})
    assert again_status(run_id) == ("COMPENSATED", "SKIPPED")
    of_undo = [letter for letter in make.letters(run_id) if letter.node == "charge:compensate"]
    assert [letter.resolution for letter in of_undo] == ["redriven", "discarded"]
    assert is_sound(run_id)


def again_status(run_id):
    return make.run(run_id).status, of(run_id).status


def test_one_that_no_worker_takes_is_skipped():
    run_id = failed({"type": "job", "queue": "nobody"})
    make.skip(run_id, "charge:compensate", {})
    assert make.run(run_id).status == "COMPENSATED"
    assert is_sound(run_id)


def test_a_cancel_that_undoes_waits_for_it_and_ends_cancelled():
    (run_id,) = make.start(saga(SIGNAL))
    make.complete(*make.claimed("charge"), output={})
    cancel_runs(make.a_tenant().pk, [run_id], by="test", compensate=True)
    make.work()
    assert again_status(run_id) == ("COMPENSATING", "WAITING")
    make.send(run_id, "undone")
    assert make.run(run_id).status == "CANCELLED"


def no_timer(run_id):
    Timer.unsafe_all_tenants.filter(run_id=run_id).delete()


def no_task(run_id):
    ManualTask.unsafe_all_tenants.filter(run_id=run_id).update(status="CANCELLED")


def a_signal_nobody_took(run_id):
    make.send(run_id, "other")
    Signal.unsafe_all_tenants.filter(run_id=run_id).update(name="undone")


@pytest.mark.parametrize(
    ("undo", "damage", "ends"),
    [
        (WAIT, no_timer, "COMPENSATING"),
        (APPROVAL, no_task, "COMPENSATING"),
        (SIGNAL, a_signal_nobody_took, "COMPENSATED"),
    ],
    ids=["wait", "task", "signal"],
)
def test_what_is_gone_is_repaired(undo, damage, ends, clock):
    run_id = failed(undo)
    damage(run_id)
    assert stuck.check() == 1
    assert [noted.done for noted in Repair.unsafe_all_tenants.all()] == [True]
    assert make.run(run_id).status == ends
    assert stuck.check() == 0
    clock.advance(3600)
    make.tick()
    if undo == APPROVAL:
        decide(member("ann"), task_of(run_id))
    assert make.run(run_id).status == "COMPENSATED"


@pytest.mark.parametrize("undo", [WAIT, SIGNAL, APPROVAL], ids=lambda undo: undo["type"])
def test_one_that_was_left_behind_without_its_wait_begins_to_wait_anew(undo):
    run_id = failed(undo)
    no_timer(run_id)
    no_task(run_id)
    make.change(str(of(run_id).pk), waiting=None)
    assert stuck.check() == 1
    make.work()
    shown = found_run(make.a_tenant().pk, run_id)
    assert again_status(run_id) == ("COMPENSATING", "WAITING")
    assert shown["steps"][-1]["waiting"]["kind"] in ("timer", "signal", "task")
    assert is_sound(run_id)


LATER = {"wait": 4 * 86_400}
READS_TEXT = {name for name, spec in CATALOGUE.items() if spec.input_schema}
FAILS = {name for name, spec in CATALOGUE.items() if spec.fails}
CONTAINERS = {name for name, spec in CATALOGUE.items() if spec.has_children}


@pytest.mark.parametrize("kind", sorted(CONTAINERS))
def test_a_container_undoes_nothing(kind):
    faults = undo_faults({"type": kind, "params": {**CATALOGUE[kind].example["params"]}})
    assert ("bad_value", "nodes[0].compensate.type") in [(one.code, one.field) for one in faults]


def test_one_that_fails_leaves_undoing_to_a_person():
    params = {"code": "ByHand", "message": "Call the bank."}
    run_id = failed({"type": "fail", "params": params, "retry": "none"})
    assert again_status(run_id) == ("WAITING_FOR_MANUAL_ACTION", "FAILED")
    assert of(run_id).error["code"] == "ByHand"


OWN_PARAMS = {
    "decision.table": {
        "columns": [{"title": "Run", "when": "run.id"}, {"set": "answer"}],
        "rows": [["-", "yes"]],
    },
    "signal": {"name": "undone"},
}
"""Params of types whose example reads what the run here has not."""


@pytest.mark.parametrize("kind", sorted(set(CATALOGUE) - READS_TEXT - CONTAINERS - FAILS))
def test_every_type_that_may_undo_does(kind, clock, outside):
    spec = CATALOGUE[kind]
    params = OWN_PARAMS.get(kind, {**spec.example["params"]})
    params |= {"url": outside.url("/refunds")} if kind == "http.request" else {}
    undo = {"type": kind, "params": params, "retry": "none"}
    if spec.kind == "external":
        undo["queue"] = "undo"
    assert undo_faults(undo) == []
    if kind == "subworkflow":
        begun = {**make.chain("noop"), "name": params["workflow"]}
        make.VersionFactory(workflow__tenant=make.a_tenant(), workflow__draft_definition=begun)
    run_id = failed(undo)
    if spec.kind == "blocking":
        make.work("blocking")
    if spec.kind == "external":
        make.complete(*make.claimed("undo"), output={})
    if spec.kind == "wait":
        clock.advance(LATER.get(kind, 0))
        make.tick()
        if kind == "signal":
            make.send(run_id, "undone")
        if kind.startswith("human."):
            task = task_of(run_id)
            outcome, data = task.outcomes[0]["name"], {"account": "x"} if task.form else None
            decide(member("ann", "approver", "Finance"), task, outcome, data=data)
    assert again_status(run_id) == ("COMPENSATED", "COMPLETED"), of(run_id).error
    assert outside.heard(kind) == (1 if spec.kind == "blocking" else 0)
    assert is_sound(run_id)


@pytest.mark.parametrize("kind", sorted(READS_TEXT))
def test_a_type_that_cant_take_what_was_done_is_refused(kind):
    """What undoes is given `{input, output}`: a step that reads a text would fail in every run that needs it."""
    spec = CATALOGUE[kind]
    (fault,) = undo_faults({"type": kind, "params": {**spec.example["params"]}})
    assert (fault.code, fault.field) == ("incompatible_input", "nodes[0].compensate.type")
    assert f"`{kind}` cannot undo `charge`" in fault.message


def undo_faults(undo):
    return [
        one
        for one in validate(saga(undo), CATALOGUE)
        if ".compensate" in one.field and one.severity == "error"
    ]


class Outside:
    """A service that answers, a model and a mailbox, and how often each was asked."""

    def __init__(self, service, model, mail):
        self.url, self._service, self._model, self._mail = service.url, service, model, mail

    def heard(self, kind):
        asked = {"http.request": self._service.asked, "llm.prompt": self._model.asked}
        return len(self._mail.messages() if kind == "email.send" else asked.get(kind, ()))


@pytest.fixture
def outside(monkeypatch):
    """What steps reach outside, each a server of its own."""
    monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "127.0.0.1/32")
    with answering(http(b"{}")) as service, answering(said("Tom")) as model, mailbox(monkeypatch) as mail:
        monkeypatch.setenv("HANDOFF_LLM_URL", model.url("/v1"))
        monkeypatch.setenv("HANDOFF_LLM_MODEL", "small")
        yield Outside(service, model, mail)
