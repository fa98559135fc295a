"""Deadlines that stand still while a run only waits, as its version says: exact, however late anybody looks (R-216)."""

import itertools
from random import Random

import pytest

from operations.alerts import evaluating
from operations.alerts.models import Alert
from runs.commands.lifecycle import pause_runs, unpause_runs
from runs.commands.migration import check_run
from runs.maintenance import sla
from runs.models import Run
from runs.reading.presentation import run_row
from tests import factories as make
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

WAITING = {"sla_seconds": 100, "sla_pauses": "waiting"}


def signal(name, **more):
    return {"id": name, "type": "signal", "params": {"name": name}, **more}


def line(rounds=1, **settings):
    """A signal, a step to be done, and so on."""
    nodes = [node for n in range(rounds) for node in (signal(f"s{n}"), {"id": f"w{n}", "type": "noop"})]
    ids = [node["id"] for node in nodes]
    return make.graph(nodes, [f"{a}>{b}" for a, b in itertools.pairwise(ids)], **settings)


def started(definition):
    run_id = make.start(definition)[0]
    make.work()
    return run_id


def container(kind, node):
    """A step whose run or item is a line."""
    if kind == "subworkflow":
        child = make.a_version(line(5)).workflow.name
        return {"id": node, "type": kind, "params": {"workflow": child}}
    how_often = {"map": {"items": [1]}, "loop": {"count": 1}}[kind]
    return {"id": node, "type": kind, "params": {**how_often, "body": {"steps": line(5)["nodes"]}}}


def told(run_id):
    return [event for event in make.history(run_id) if event.startswith("SLA")]


def shown(run_id):
    return run_row(make.a_tenant().pk, run_id)


def given(run_id):
    """How much later than at first the run is due."""
    row = shown(run_id)
    return (row["sla_deadline"] - row["created_at"]).total_seconds() - 100


def pause(run_id):
    pause_runs(make.a_tenant().pk, [run_id], by="ann")


def go_on(run_id):
    unpause_runs(make.a_tenant().pk, [run_id], by="ann")


def test_the_time_in_which_a_run_waits_does_not_count_and_what_it_works_does(clock):
    run_id = started(line(**WAITING))
    clock.advance(1000)
    assert (sla.look(), shown(run_id)["sla"], shown(run_id)["sla_seconds"]) == (0, "ok", 100)
    assert shown(run_id)["sla_paused_at"] == shown(run_id)["created_at"]
    make.send(run_id, "s0")
    make.work("engine")
    assert shown(run_id)["sla_paused_at"] is None
    clock.advance(79)
    assert (sla.look(), shown(run_id)["sla"]) == (0, "ok")
    clock.advance(1)
    assert (sla.look(), shown(run_id)["sla"]) == (1, "warning")
    clock.advance(20)
    assert (sla.look(), shown(run_id)["sla"]) == (1, "breached")
    assert told(run_id) == ["SLA_WARNING", "SLA_BREACHED"]
    assert given(run_id) == 1000


@pytest.mark.parametrize("pauses", [True, False, None])
def test_waits_count_where_the_version_does_not_say_so(clock, pauses):
    run_id = started(line(**{**WAITING, "sla_pauses": pauses}))
    clock.advance(100)
    assert (sla.look(), shown(run_id)["sla"], shown(run_id)["sla_paused_at"]) == (1, "breached", None)


def test_a_run_of_which_one_branch_works_does_not_wait(clock):
    run_id = make.start(make.graph([signal("s"), "w"], [], **WAITING))[0]
    make.work("engine")
    clock.advance(30)
    assert shown(run_id)["sla_paused_at"] is None
    make.work()
    clock.advance(500)
    assert (sla.look(), shown(run_id)["sla"]) == (0, "ok")
    make.send(run_id, "s")
    make.work()
    clock.advance(500)
    sla.look()
    assert (given(run_id), shown(run_id)["sla"]) == (500, "ok")
    assert told(run_id) == []


def test_a_step_that_is_retried_is_at_work(clock):
    nodes = [{"id": "w", "type": "noop", "retry": {"max_retries": 3, "base_seconds": 60}}]
    run_id = make.start(make.graph(nodes, [], **WAITING))[0]
    make.fail(*make.claimed(), retryable=True)
    clock.advance(100)
    assert (sla.look(), told(run_id)) == (1, ["SLA_BREACHED"])


@pytest.mark.parametrize("kind", ["subworkflow", "map", "loop"])
def test_a_run_waits_if_what_is_below_it_waits_and_works_if_that_works(clock, kind):
    run_id = started(make.graph([container(kind, "c")], [], **WAITING))
    below = str(Run.unsafe_all_tenants.get(parent_id=run_id).pk)
    clock.advance(1000)
    assert shown(run_id)["sla_paused_at"] is not None
    assert sla.look() == 0
    make.send(below, "s0")
    make.work("engine")
    clock.advance(50)
    assert shown(run_id)["sla_paused_at"] is None
    make.work()
    clock.advance(2000)
    assert (sla.look(), shown(run_id)["sla"]) == (0, "ok")
    make.send(below, "s1")
    make.work("engine")
    clock.advance(40)
    assert (sla.look(), shown(run_id)["sla"], given(run_id)) == (1, "warning", 3000)


def test_a_run_that_has_ended_keeps_how_it_stood(clock):
    run_id = started(line(**WAITING))
    clock.advance(1000)
    make.send(run_id, "s0")
    make.work()
    assert (shown(run_id)["sla"], given(run_id)) == ("ok", 1000)
    clock.advance(1000)
    sla.look()
    assert (shown(run_id)["sla"], given(run_id), told(run_id)) == ("ok", 1000, [])


def test_a_run_that_is_cancelled_while_it_waits_was_in_time(clock):
    run_id = started(line(**WAITING))
    clock.advance(1000)
    make.cancel(run_id)
    clock.advance(1000)
    assert (sla.look(), shown(run_id)["sla"], given(run_id)) == (1, "ok", 1000)


@pytest.mark.parametrize("seed", range(40))
def test_the_deadline_is_exact_whatever_happens_to_the_run(clock, seed):
    random = Random(seed)
    pauses = random.choice(["waiting", "waiting", True, False])
    run_id = started(line(6, sla_seconds=100, sla_pauses=pauses))
    used, moved, stopped, paused, step, works, said = 0, 0, False, False, 0, False, []
    for _ in range(30):
        match random.choice(["time", "time", "time", "signal", "work", "pause", "look", "look", "move"]):
            case "time":
                seconds = random.randrange(1, 25)
                clock.advance(seconds)
                waits = not paused and not works and pauses == "waiting"
                if stopped or (waits and "SLA_BREACHED" not in said):
                    moved += seconds
                else:
                    used += seconds
            case "signal" if not works and step < 6:
                make.send(run_id, f"s{step}")
                works = True
                make.work("engine")
            case "work" if works and not paused and step < 5:
                make.work()
                step, works = step + 1, False
            case "pause":
                if paused:
                    go_on(run_id)
                    stopped = False
                else:
                    pause(run_id)
                    stopped = pauses is not False
                paused = not paused
            case "move":
                pauses = random.choice(["waiting", True, False])
                title = f"t{random.random()}"
                make.migrate(
                    run_id, make.newer(run_id, line(6, sla_seconds=100, sla_pauses=pauses, title=title))
                )
            case "look":
                sla.look()
                if not stopped and used >= 100 and "SLA_BREACHED" not in said:
                    said.append("SLA_BREACHED")
                elif not stopped and used >= 80 and not said:
                    said.append("SLA_WARNING")
        assert told(run_id) == said
        assert given(run_id) == moved - _since_stop(run_id, clock), seed
        stands = "breached" if used >= 100 else "warning" if used >= 80 else "ok"
        assert shown(run_id)["sla"] == stands, (seed, used, moved)


def _since_stop(run_id, clock):
    """What is added when the clock runs again."""
    since = shown(run_id)["sla_paused_at"]
    return (clock.now - since).total_seconds() if since else 0


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("kind", ["subworkflow", "map", "loop"])
def test_the_deadline_is_exact_whatever_the_runs_below_do(clock, kind, seed):
    """Two lines below, beside one another: the run waits while both do."""
    random = Random(seed)
    run_id = started(make.graph([container(kind, "a"), container(kind, "b")], [], **WAITING))
    below = [str(run.pk) for run in Run.unsafe_all_tenants.filter(parent_id=run_id)]
    works, step = dict.fromkeys(below, False), dict.fromkeys(below, 0)
    used, moved, is_breached = 0, 0, False
    for _ in range(25):
        one = random.choice(below)
        match random.choice(["time", "time", "signal", "work", "look"]):
            case "time":
                seconds = random.randrange(1, 25)
                clock.advance(seconds)
                if any(works.values()) or is_breached:
                    used += seconds
                else:
                    moved += seconds
            case "signal" if not works[one] and step[one] < 5:
                make.send(one, f"s{step[one]}")
                make.work("engine")
                works[one] = True
            case "work" if all(step[each] < 4 for each in below):
                make.work()
                step = {each: step[each] + works[each] for each in below}
                works = dict.fromkeys(below, False)
            case "look":
                sla.look()
                is_breached = used >= 100
        assert given(run_id) == moved - _since_stop(run_id, clock)
        assert shown(run_id)["sla"] == ("breached" if used >= 100 else "warning" if used >= 80 else "ok")
    assert told(run_id)[-1:] == (["SLA_BREACHED"] if is_breached else told(run_id)[-1:])


def test_a_loop_that_goes_on_in_another_run_keeps_what_was_waited(clock, settings):
    settings.HANDOFF_CONTINUE_AFTER_EVENTS = 15
    body = {"steps": [signal("s"), {"id": "w", "type": "noop"}]}
    again = {"id": "again", "type": "loop", "params": {"count": 45, "body": body}}
    run_id = started(make.graph([again], [], **WAITING))
    newest, first = run_id, shown(run_id)["created_at"]
    for _ in range(45):
        newest = str(Run.unsafe_all_tenants.filter(root_id=run_id).latest("id").pk)
        below = Run.unsafe_all_tenants.filter(parent_id=newest, completed_at=None).get()
        clock.advance(100)
        make.send(str(below.pk), "s")
        make.work("engine")
        clock.advance(1)
        make.work()
    assert newest != run_id
    row = shown(newest)
    assert (row["sla_deadline"] - first).total_seconds() == 4600
    assert (row["status"], row["sla"]) == ("COMPLETED", "ok")


def test_items_of_a_map_that_wait_in_turn_with_some_that_are_done(clock):
    params = {"items": [1, 2], "body": {"type": "signal", "params": {"name": "go"}}}
    run_id = started(make.graph([{"id": "c", "type": "map", "params": params}, "w"], ["c>w"], **WAITING))
    clock.advance(1000)
    assert (sla.look(), shown(run_id)["sla"]) == (0, "ok")
    make.send(run_id, "go")
    make.work("engine")
    clock.advance(500)
    assert (sla.look(), shown(run_id)["sla"]) == (0, "ok")
    make.send(run_id, "go")
    make.work("engine")
    clock.advance(80)
    assert (sla.look(), shown(run_id)["sla"], given(run_id)) == (1, "warning", 1500)


def test_what_was_waited_before_a_version_that_says_so_counts(clock):
    run_id = started(line(2, sla_seconds=100))
    clock.advance(30)
    make.migrate(run_id, make.newer(run_id, line(2, **WAITING)))
    clock.advance(1000)
    assert (sla.look(), shown(run_id)["sla"]) == (0, "ok")
    make.send(run_id, "s0")
    make.work("engine")
    clock.advance(50)
    assert (sla.look(), shown(run_id)["sla"], given(run_id)) == (1, "warning", 1000)


def test_what_was_waited_stays_where_another_version_has_another_deadline(clock):
    run_id = started(line(2, **WAITING))
    clock.advance(1000)
    later = make.newer(run_id, line(2, sla_seconds=200))
    (time,) = check_run(make.a_tenant().pk, run_id, later.pk).times
    make.migrate(run_id, later)
    assert (time.new - time.old).total_seconds() == 100
    assert shown(run_id)["sla_deadline"] == time.new
    assert given(run_id) == 1100
    clock.advance(160)
    assert (sla.look(), shown(run_id)["sla"]) == (1, "warning")


def test_a_warning_stands_while_a_run_waits_past_what_was_its_deadline(clock):
    run_id = make.start(make.graph(["w", signal("s")], ["w>s"], **WAITING))[0]
    clock.advance(85)
    sla.look()
    evaluating.look()
    make.work()
    clock.advance(500)
    evaluating.look()
    kinds = Alert.unsafe_all_tenants.exclude(status="resolved").values_list("kind", flat=True)
    assert [*kinds] == ["sla_warning"]
    assert (sla.look(), told(run_id)) == (0, ["SLA_WARNING"])


def test_an_end_to_the_waits_asks_no_statement_more(clock):
    """What runs costs the same, whatever its version says of its waits."""

    def statements(definition):
        run_id = started(definition)
        with watching() as seen:
            make.send(run_id, "s0")
            make.work()
        return seen.named

    assert statements(line(**WAITING)) == statements(line(sla_seconds=100))


def test_the_page_says_that_the_clock_stands_still_while_the_run_waits(client, clock):
    run_id = started(line(**WAITING))
    clock.advance(1000)
    client.force_login(make.a_member("ann"))
    assert "paused while waiting with 1 min 40 s left" in client.get(f"/runs/{run_id}").text
