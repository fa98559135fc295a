-- name: hold_decision
-- It counts so many seconds later; the task is held, and nobody else's waits to count.
INSERT INTO tasks_inbox_helddecision AS h (id, tenant_id, task_id, username, via, outcome, data, comment, seen, batch,
                                          on_behalf_of, until)
SELECT %(id)s::uuid, t.tenant_id, t.id, %(by)s, %(via)s, %(outcome)s, %(data)s::jsonb, %(comment)s, %(seen)s,
       %(batch)s::uuid, %(on_behalf_of)s, clock() + %(seconds)s * interval '1 second'
  FROM tasks_inbox_manualtask t
 WHERE t.id = %(task)s
    ON CONFLICT (task_id, username) DO UPDATE
   SET id = excluded.id, via = excluded.via, outcome = excluded.outcome, data = excluded.data, comment = excluded.comment,
       seen = excluded.seen, batch = excluded.batch, on_behalf_of = excluded.on_behalf_of,
       until = excluded.until, refused = NULL

-- name: count_together
-- What was decided together counts together: so long after the last of it was decided.
UPDATE tasks_inbox_helddecision h
   SET until = (SELECT max(o.until) - %(sooner)s * interval '1 second' FROM tasks_inbox_helddecision o
                 WHERE o.tenant_id = %(tenant)s AND o.username = %(by)s AND o.batch = %(batch)s::uuid)
 WHERE h.tenant_id = %(tenant)s AND h.username = %(by)s AND h.batch = %(batch)s::uuid AND h.refused IS NULL

-- name: held_by_another
-- Who else is about to decide it, what, and until when they can take it back.
SELECT json_build_object('by', h.username, 'outcome', h.outcome, 'until', h.until)
  FROM tasks_inbox_helddecision h
 WHERE h.task_id = %(task)s AND h.username <> %(by)s AND h.refused IS NULL
 LIMIT 1

-- name: drop_held
-- Whoever counts it or takes it back has it alone; `id`: only if it is still this one.
DELETE FROM tasks_inbox_helddecision h
 WHERE h.task_id = %(task)s AND h.username = %(by)s AND (%(id)s::uuid IS NULL OR h.id = %(id)s::uuid)
RETURNING json_build_object('outcome', h.outcome, 'data', h.data, 'comment', h.comment, 'refused', h.refused)

-- name: due_held
SELECT coalesce(json_agg(json_build_array(h.id, h.tenant_id, h.task_id) ORDER BY h.until, h.id), '[]')
  FROM (SELECT * FROM tasks_inbox_helddecision
         WHERE refused IS NULL AND until <= clock()
         ORDER BY until, id
         LIMIT %(limit)s) h

-- name: postpone_held
UPDATE tasks_inbox_helddecision h
   SET until = clock() + %(seconds)s * interval '1 second'
 WHERE h.id = %(id)s::uuid AND h.refused IS NULL

-- name: refuse_held
-- It didn't count: it stays for who made it to see.
UPDATE tasks_inbox_helddecision h SET refused = %(why)s WHERE h.id = %(id)s::uuid AND h.refused IS NULL
