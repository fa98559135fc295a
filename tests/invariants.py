"""What must hold in the tables whatever crashed, raced or came late (docs/security.md, "Invariants")."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

import orjson
import psycopg
from django.db import connection

from engine.events import EVENTS
from runs.integrity import repair
from runs.integrity.verify import verify
from runs.kernel.graphs import graph_of
from runs.models import HistoryEvent, Run, StepExecution, StepJoin
from tasks_inbox.evidence.verifying import verify_chain

ENDED = "('COMPLETED', 'CONTINUED', 'FAILED', 'CANCELLED', 'COMPENSATED')"
TERMINAL = "('RUN_COMPLETED', 'RUN_CONTINUED', 'RUN_FAILED', 'RUN_CANCELLED', 'RUN_COMPENSATED')"
OPEN = "('QUEUED', 'RUNNING', 'WAITING')"

ORACLES = {
    "I1: an open run has an open step": f"""
        SELECT r.id FROM runs_run r
         WHERE r.status NOT IN {ENDED} AND r.status <> 'WAITING_FOR_MANUAL_ACTION' AND NOT EXISTS (
            SELECT 1 FROM runs_stepexecution s WHERE s.run_id = r.id AND s.status IN {OPEN})
           AND NOT EXISTS (SELECT 1 FROM runs_run c WHERE c.parent_id = r.id AND c.completed_at IS NULL)
           AND NOT EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.run_id = r.id)
           AND NOT EXISTS (SELECT 1 FROM runs_undoentry e
                            WHERE r.id IN (e.run_id, e.target_id) AND e.state IN ('planned', 'begun'))""",
    "I1: a closing run has a running step or a child run to wait for, and nothing that could start": """
        SELECT r.id FROM runs_run r WHERE r.status IN ('FAILING', 'CANCELLING') AND (
            NOT EXISTS (SELECT 1 FROM runs_stepexecution s WHERE s.run_id = r.id AND s.status = 'RUNNING')
            AND NOT EXISTS (SELECT 1 FROM runs_run c WHERE c.parent_id = r.id AND c.completed_at IS NULL)
            AND NOT EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.run_id = r.id)
            OR EXISTS (SELECT 1 FROM runs_stepexecution s
                        WHERE s.run_id = r.id AND s.status IN ('QUEUED', 'WAITING')))""",
    "I8: no open step on an ended run": f"""
        SELECT s.run_id, s.node FROM runs_stepexecution s JOIN runs_run r ON r.id = s.run_id
         WHERE r.status IN {ENDED} AND s.status IN {OPEN}""",
    # A run may fail in the same breath in which its last sink falls.
    "a COMPLETED run has no open sink, and an open run has one": """
        SELECT r.id, r.status, r.open_sinks FROM runs_run r
         WHERE r.open_sinks < 0 OR r.status = 'COMPLETED' AND r.open_sinks <> 0
               OR r.status IN ('RUNNING', 'PAUSED') AND r.open_sinks = 0""",
    "a run that undid what it did has nothing left of its plan": f"""
        SELECT e.run_id, e.seq, e.state FROM runs_undoentry e JOIN runs_run r ON r.id = e.run_id
         WHERE r.status IN {ENDED} AND e.state IN ('planned', 'begun')""",
    "I4: one terminal event per life": f"""
        SELECT r.id, count(h.id) FROM runs_run r
          LEFT JOIN runs_historyevent h ON h.run_id = r.id AND h.type IN {TERMINAL}
         GROUP BY r.id HAVING count(h.id) <> r.life - CASE WHEN r.status IN {ENDED} THEN 0 ELSE 1 END""",
    "I4: nothing stands behind the terminal event of an ended run": f"""
        SELECT h.run_id, h.type FROM runs_historyevent h JOIN runs_run r ON r.id = h.run_id
         WHERE r.status IN {ENDED} AND h.type NOT IN ('LATE_RESULT', 'NEXT_NOT_STARTED')
           AND h.id > (SELECT max(t.id) FROM runs_historyevent t WHERE t.run_id = r.id AND t.type IN {TERMINAL})""",
    "I4: a step completes once": """
        SELECT h.run_id, h.node, h.payload->'index' FROM runs_historyevent h WHERE h.type = 'STEP_COMPLETED'
         GROUP BY 1, 2, 3,
                  (SELECT count(*) FROM runs_historyevent w
                    WHERE w.run_id = h.run_id AND w.node = h.node AND w.type = 'STEP_WITHDRAWN' AND w.id < h.id
                      AND w.payload->'index' = h.payload->'index')
        HAVING count(*) > 1""",
    "I5: an attempt is claimed once, so no epoch ends twice": """
        SELECT h.run_id, h.node, h.payload->'epoch', h.payload->'index' FROM runs_historyevent h
         WHERE h.type IN ('STEP_COMPLETED', 'STEP_FAILED', 'ATTEMPT_FAILED') AND h.attempt IS NOT NULL
         GROUP BY 1, 2, 3, 4,
                  (SELECT count(*) FROM runs_historyevent w
                    WHERE w.run_id = h.run_id AND w.node = h.node AND w.type = 'STEP_WITHDRAWN' AND w.id < h.id)
        HAVING count(*) FILTER (WHERE h.type <> 'ATTEMPT_FAILED') > 1""",
    "I5: the epoch is never behind the attempt": """
        SELECT s.run_id, s.node FROM runs_stepexecution s WHERE s.epoch < s.attempt OR s.attempt < 0""",
    "I12: a step is as its last event says": """
        SELECT s.run_id, s.node, s.status, l.type FROM runs_stepexecution s LEFT JOIN LATERAL (
            SELECT h.type, h.payload FROM runs_historyevent h
             WHERE h.run_id = s.run_id AND h.node = s.node
               AND (h.payload->>'index')::int IS NOT DISTINCT FROM s.index
               AND h.type NOT IN ('ALERT', 'TASK_OPENED', 'TASK_VOTED', 'TASK_COMPLETED', 'TASK_DELEGATED',
                                  'TASK_REMINDED', 'TASK_ESCALATED', 'TASK_ASKED', 'TASK_ANSWERED',
                                  'TASK_RETURNED', 'TASK_RESUBMITTED', 'LATE_RESULT', 'VARIABLES_SET')
             ORDER BY h.id DESC LIMIT 1) l ON true
         WHERE s.status NOT IN ('QUEUED', 'RUNNING', 'WAITING')
           AND coalesce(l.type, 'none') NOT IN ('STEP_' || s.status, 'EDGES_RESOLVED')""",
    "I12: a run that ended is as its last event says": f"""
        SELECT r.id, r.status FROM runs_run r WHERE r.status IN {ENDED} AND 'RUN_' || r.status IS DISTINCT FROM (
            SELECT h.type FROM runs_historyevent h
             WHERE h.run_id = r.id AND h.node IS NULL AND h.type <> 'NEXT_NOT_STARTED'
             ORDER BY h.id DESC LIMIT 1)""",
    "I14: a row's run is of the same tenant": """
        SELECT s.run_id FROM runs_stepexecution s LEFT JOIN runs_run r ON r.id = s.run_id AND r.tenant_id = s.tenant_id
         WHERE r.id IS NULL""",
    "a FAILED run whose step failed it has a dead letter": """
        SELECT r.id FROM runs_run r
         WHERE r.status = 'FAILED' AND NOT r.is_test AND NOT r.is_part AND r.error->>'node' IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM runs_deadletter d
                WHERE d.run_id = r.id AND coalesce(d.resolution, 'discarded') = 'discarded')""",
    "a timer that may fire is of a step that is open, or waits where it ends a wait": """
        SELECT t.run_id, t.node, t.kind, s.status FROM runs_timer t JOIN runs_stepexecution s ON s.id = t.step_id
         WHERE t.status = 'PENDING' AND (s.status NOT IN ('QUEUED', 'RUNNING', 'WAITING')
                                         OR t.kind <> 'boundary' AND s.status <> 'WAITING')""",
    "a step that waits for time alone has a timer": """
        SELECT s.run_id, s.node FROM runs_stepexecution s
         WHERE s.status = 'WAITING' AND s.waiting ->> 'kind' = 'timer' AND NOT EXISTS (
               SELECT 1 FROM runs_timer t WHERE t.step_id = s.id AND t.status = 'PENDING')""",
    "no step waits for a signal that is there": """
        SELECT s.run_id, s.node FROM runs_stepexecution s JOIN runs_run r ON r.id = s.run_id
         WHERE s.status = 'WAITING' AND s.waiting ->> 'kind' = 'signal' AND EXISTS (
               SELECT 1 FROM runs_signal g WHERE g.root_id = r.root_id AND g.name = s.waiting ->> 'name'
                                             AND g.consumed_at IS NULL AND g.step_id IS NULL
                                             AND g.child_id IS NULL AND g.index IS NULL)""",
    "a signal on its way has a message that carries it": """
        SELECT g.root_id, g.name FROM runs_signal g
         WHERE g.consumed_at IS NULL AND g.step_id IS NOT NULL AND NOT EXISTS (
               SELECT 1 FROM runs_runmessage m WHERE m.kind IN ('signal', 'signal_returned') AND m.step_id = g.step_id
                                                 AND m.payload ->> 'signal' = g.id::text)""",
    "a step of a child run that waits for a signal names its tree": """
        SELECT s.run_id, s.node FROM runs_stepexecution s JOIN runs_run r ON r.id = s.run_id
         WHERE s.status = 'WAITING' AND s.waiting ->> 'kind' = 'signal'
           AND s.waiting ->> 'tree' IS DISTINCT FROM r.tree_id::text""",
    "a step that waits for a run has one that is open, or is to be told that it has ended": """
        SELECT s.run_id, s.node, s.index FROM runs_stepexecution s
         WHERE s.status = 'WAITING' AND s.waiting ->> 'kind' = 'run'
           AND NOT EXISTS (SELECT 1 FROM runs_run c WHERE c.parent_step_id = s.id AND c.completed_at IS NULL)
           AND NOT EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.step_id = s.id)
           AND NOT EXISTS (SELECT 1 FROM runs_runmessage m
                            WHERE m.kind = 'resume' AND m.payload ->> 'step' = s.id::text)""",
    "a run that another one began is waited for while it goes on, or is to be told to end": """
        SELECT c.id, c.status FROM runs_run c
         WHERE c.parent_step_id IS NOT NULL AND c.status IN ('RUNNING', 'PAUSED')
           AND NOT EXISTS (SELECT 1 FROM runs_stepexecution s WHERE s.id = c.parent_step_id AND s.status = 'WAITING')
           AND NOT EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.run_id = c.id AND m.kind = 'cancel')""",
    "a run that a paused run began is paused, or is to be told to pause": """
        SELECT c.id FROM runs_run c JOIN runs_run p ON p.id = c.parent_id
         WHERE p.status = 'PAUSED' AND c.status = 'RUNNING'
           AND NOT EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.run_id = c.id AND m.kind = 'pause')""",
    "of a step one run at a time is open": """
        SELECT c.parent_step_id FROM runs_run c
         WHERE c.parent_step_id IS NOT NULL AND c.status IN ('RUNNING', 'PAUSED')
           AND NOT EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.run_id = c.id AND m.kind = 'cancel')
         GROUP BY 1 HAVING count(*) > 1""",
    "a container that waits has counted its children, and has one that is open": """
        SELECT c.run_id, c.node, c.opened, c.ended, c.failed, k.* FROM runs_container c
          JOIN runs_stepexecution p ON p.run_id = c.run_id AND p.node = c.node AND p.index IS NULL
         CROSS JOIN LATERAL (
               SELECT count(*) AS opened,
                      count(*) FILTER (WHERE s.status IN ('COMPLETED', 'FAILED', 'SKIPPED')) AS ended,
                      count(*) FILTER (WHERE s.status = 'FAILED') AS failed FROM runs_stepexecution s
                WHERE s.run_id = c.run_id AND s.node = c.node AND s.index IS NOT NULL) k
         WHERE p.waiting ->> 'kind' = 'children' AND ((c.opened, c.ended, c.failed) <> (k.opened, k.ended, k.failed)
               OR k.opened = k.ended OR k.opened - k.ended > c.at_once OR k.failed > c.tolerated)""",
    "only of a container that waits, or of a run that closes, a child is open": """
        SELECT s.run_id, s.node, s.index FROM runs_stepexecution s
          JOIN runs_run r ON r.id = s.run_id
          JOIN runs_stepexecution p ON p.run_id = s.run_id AND p.node = s.node AND p.index IS NULL
         WHERE s.index IS NOT NULL AND s.status IN ('QUEUED', 'RUNNING') AND p.status <> 'WAITING'
           AND NOT (s.status = 'RUNNING' AND r.status IN ('FAILING', 'CANCELLING'))""",
    "I1: a step that waits for a person has an open task, and no other step has one": """
        SELECT s.run_id, s.node, s.status, count(t.id) FROM runs_stepexecution s
          LEFT JOIN tasks_inbox_manualtask t ON t.step_id = s.id AND t.status = 'OPEN'
         GROUP BY s.id
        HAVING count(t.id) <> CASE WHEN s.status = 'WAITING' AND s.waiting ->> 'kind' = 'task'
                                     OR s.status = 'FAILED' AND s.node LIKE '%:compensate' THEN 1 ELSE 0 END""",
    "I11: one decision a completed step, and it is what the step gave": """
        SELECT t.run_id, t.node FROM tasks_inbox_manualtask t JOIN runs_stepexecution s ON s.id = t.step_id
         WHERE t.status = 'COMPLETED' AND s.status = 'COMPLETED' AND t.kind <> 'compensation' AND t.node = s.node
           AND t.decided_by <> 'the deadline' AND NOT s.output ? '$blob'
           AND (s.output ->> 'outcome', s.output ->> 'by', s.output ->> 'on_behalf_of')
               IS DISTINCT FROM (t.outcome, t.decided_by, t.decided_for)""",
    "a delegated task was handed to whoever has it, and history says so": """
        SELECT t.run_id, t.node FROM tasks_inbox_manualtask t
         WHERE t.delegated_by IS NOT NULL AND NOT EXISTS (
               SELECT 1 FROM runs_historyevent h
                WHERE h.run_id = t.run_id AND h.type = 'TASK_DELEGATED' AND h.node = t.node
                  AND h.payload ->> 'task' = t.id::text AND h.payload ->> 'to' = t.assignee)""",
    "what asks somebody is in lists by each of its marks, as it stands, and nothing else is": """
        SELECT t.id, k.task_id, m.mark, k.mark
          FROM (tasks_inbox_manualtask t
               CROSS JOIN unnest(t.audience || ARRAY(SELECT 'proxy:' || (p ->> 'to_key')
                                                       FROM jsonb_array_elements(t.proxies) p)) AS m(mark))
          FULL JOIN tasks_inbox_taskmark k ON (k.tenant_id, k.task_id, k.mark) = (t.tenant_id, t.id, m.mark)
         WHERE coalesce(t.status = 'OPEN' AND t.assignee IS NULL AND t.returned_to IS NULL, false)
               <> (k.task_id IS NOT NULL)
            OR (k.due, k.unimportance, k.told) <> (t.due, t.unimportance, t.told)
            OR k.barred <> t.exclude || t.voted
                           || ARRAY(SELECT p ->> 'by_key' FROM jsonb_array_elements(t.proxies) p)""",
    "who has handed a vote on, or has one, has no other of that task": """
        SELECT t.id FROM tasks_inbox_manualtask t
         CROSS JOIN LATERAL (SELECT count(*) AS all, count(DISTINCT n.key) AS each
                               FROM jsonb_array_elements(t.proxies) p
                              CROSS JOIN unnest(ARRAY[p ->> 'by_key', p ->> 'to_key']) n(key)) v
         WHERE v.all <> v.each""",
    "I14: a comment is of a task of its tenant and run": """
        SELECT c.id FROM tasks_inbox_taskcomment c
          LEFT JOIN tasks_inbox_manualtask t
            ON t.id = c.task_id AND (t.tenant_id, t.run_id, t.shard) = (c.tenant_id, c.run_id, c.shard)
         WHERE t.id IS NULL""",
    "a draft is of an open task of its tenant, and of somebody who has not decided it": """
        SELECT d.id FROM tasks_inbox_taskdraft d
          JOIN accounts_user u ON u.id = d.user_id
          LEFT JOIN tasks_inbox_manualtask t ON (t.id, t.tenant_id, t.status) = (d.task_id, d.tenant_id, 'OPEN')
         WHERE t.id IS NULL OR lower(u.username) = ANY (t.voted)""",
    "I14: a file is of a task of its tenant and run, and is what it is said to be unless it was withdrawn": """
        SELECT f.id FROM tasks_inbox_taskfile f
          LEFT JOIN tasks_inbox_manualtask t ON (t.id, t.tenant_id, t.run_id) = (f.task_id, f.tenant_id, f.run_id)
          LEFT JOIN tasks_inbox_taskfilecontent c ON (c.id, c.tenant_id) = (f.id, f.tenant_id)
         WHERE t.id IS NULL OR (f.withdrawn_at IS NULL) <> (c.id IS NOT NULL)
            OR (f.size, f.sha256) <> (length(c.content), encode(sha256(c.content), 'hex'))""",
    "only a step that waits, or an item that was paused by itself, says for what": """
        SELECT s.run_id, s.node FROM runs_stepexecution s
         WHERE (s.status = 'WAITING') <> (s.waiting IS NOT NULL)
           AND NOT (s.status = 'QUEUED' AND s.held AND s.index IS NOT NULL AND s.waiting ->> 'kind' = 'unpause')""",
    "a business key stands for a run that exists": """
        SELECT k.run_id FROM runs_runkey k LEFT JOIN runs_run r ON r.id = k.run_id WHERE r.id IS NULL""",
}

# A repair, and an alert, may be about a step.
OF_A_STEP_TOO = {"RUN_REPAIRED", "ALERT"}


_RUNS, _CHAINS = "a run", "whose decisions are written down"
_THERE = {
    _RUNS: "SELECT FROM runs_run LIMIT 1",
    _CHAINS: """
        SELECT tenant_id AS tenant FROM tasks_inbox_evidencehead
         UNION SELECT tenant_id FROM tasks_inbox_manualtask
         UNION SELECT tenant_id FROM tasks_inbox_taskdecision
         UNION SELECT tenant_id FROM tasks_inbox_taskcomment""",
}
# To ask one after the other takes longer than many a test. Planned once: it has no parameters.
_ALL = " UNION ALL ".join(
    f"SELECT '{name.replace(chr(39), chr(39) * 2)}', to_jsonb(broken) FROM ({query}) AS broken"
    for name, query in (ORACLES | _THERE).items()
)


def broken() -> dict[str, list[Any]]:
    """Oracle → what breaks it, over all rows; empty where everything holds."""
    found: dict[str, list[Any]] = {}
    connection.ensure_connection()
    with psycopg.Cursor(connection.connection) as cursor:
        for name, row in cursor.execute(_ALL, prepare=True):
            found.setdefault(name, []).append(row)
    is_run, chains = found.pop(_RUNS, None), found.pop(_CHAINS, [])
    if is_run:
        found |= _broken_runs()
    if wrong := [fault for chain in chains for fault in verify_chain(orjson.loads(chain)["tenant"])]:
        found["I11, I14: decisions are what was written down"] = wrong
    return found


def _broken_runs() -> dict[str, list[Any]]:
    """What no statement of SQL alone can say of the runs that there are."""
    runs = Run.unsafe_all_tenants.values_list("pk", "version_id", "completed_at")
    checks = {
        "a join has counted what its sources did": _miscounted_joins({run: at for run, at, _ in runs}),
        "rows are what history says": verify(str(run) for run, _, _ in runs),
        "whatever is open has a wake source": repair.look([str(run) for run, _, end in runs if end is None]),
        "history is written in its vocabulary": _unknown_events(),
    }
    return {name: wrong for name, check in checks.items() if (wrong := list(check))}


def _unknown_events() -> Iterable[Any]:
    """Events that `engine/events.py` does not have, or whose payload has a field that it does not know."""
    for name, node, payload in HistoryEvent.unsafe_all_tenants.values_list("type", "node", "payload"):
        kind = EVENTS.get(name)
        if kind is None or (kind.about == "run" and node and name not in OF_A_STEP_TOO):
            yield name, node
        elif strange := payload.keys() - kind.payload.keys():
            yield name, sorted(strange)


def _miscounted_joins(versions: Mapping[UUID, int]) -> Iterable[Any]:
    """Joins whose counters are not what the rows of their sources and history say; `versions` of runs, by their ids."""
    nodes = {
        version: [node for node in graph_of(version).nodes.values() if node.is_join]
        for version in set(versions.values())
    }
    runs = [run for run, version in versions.items() if nodes[version]]
    if not runs:
        return
    joins = {(join.run_id, join.node): join for join in StepJoin.unsafe_all_tenants.filter(run_id__in=runs)}
    rows = StepExecution.unsafe_all_tenants.filter(run_id__in=runs, index__isnull=True)
    steps = {(step.run_id, step.node): step for step in rows}
    taken = {
        (event.run_id, event.node, target)
        for event in HistoryEvent.unsafe_all_tenants.filter(run_id__in=runs, payload__has_key="taken")
        for target in event.payload["taken"]
    }
    for run, node in ((one, node) for one in runs for node in nodes[versions[one]]):
        arrived = {source for source in node.predecessors if _is_resolved(steps.get((run, source)), node.id)}
        chosen = {source for source in arrived if (run, source, node.id) in taken}
        join = joins.get((run, node.id))
        counted = (join.arrived, set(join.taken)) if join else (0, set())
        if join and join.fired:
            # Later edges change nothing, and of those that came none may be forgotten.
            if not (counted[0] <= len(arrived) and counted[1] <= chosen):
                yield run, node.id, counted, (arrived, chosen)
        elif counted != (len(arrived), chosen):
            yield run, node.id, counted, (arrived, chosen)


def _is_resolved(step: StepExecution | None, target: str) -> bool:
    if step is not None and target in (step.fired or ()):
        return True
    if step is None or step.edges_pending:
        return False
    handled = step.status == "FAILED" and step.output is not None
    handled = handled or (step.status == "CANCELLED" and step.cancel_cause == "timer")
    return handled or step.status in ("COMPLETED", "SKIPPED")
