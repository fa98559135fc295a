-- name: next_due
-- The one that has waited longest. It is tried again after a while, whatever becomes of who has it now.
UPDATE /* table */ o
   SET attempts = o.attempts + 1,
       next_at = c.now + least(%(longest)s, %(first)s * 2 ^ o.attempts) * interval '1 second'
  FROM (SELECT clock() AS now) c
 WHERE o.id = (SELECT d.id FROM /* table */ d
                WHERE d.next_at <= clock()
                ORDER BY d.next_at, d.id
                LIMIT 1
                  FOR UPDATE SKIP LOCKED)
RETURNING to_jsonb(o) || jsonb_build_object('made', extract(epoch FROM o.created_at),
                                            'age', extract(epoch FROM c.now - o.created_at))

-- name: note_sent
UPDATE /* table */
   SET sent_at = clock(), next_at = NULL, error = ''
 WHERE id = %(id)s

-- name: note_not_sent
-- `for_good`: it is not tried again.
UPDATE /* table */ SET error = %(error)s, next_at = CASE WHEN NOT %(for_good)s THEN next_at END WHERE id = %(id)s

-- name: note_skipped
-- It is not to be sent: that no attempt was made tells it from one that failed.
UPDATE /* table */ SET error = %(why)s, next_at = NULL, attempts = 0 WHERE id = %(id)s

-- name: drop_due
-- Nothing can be sent: what waits is not kept for the day on which it can.
WITH l AS MATERIALIZED (
    SELECT id FROM /* table */
     WHERE next_at IS NOT NULL
     ORDER BY next_at, id
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
)
UPDATE /* table */ SET next_at = NULL, error = %(error)s WHERE id = ANY (ARRAY(SELECT id FROM l))

-- name: forget_done
DELETE FROM /* table */ WHERE id = ANY (ARRAY(
    SELECT id FROM /* table */
     WHERE next_at IS NULL
       AND created_at < clock() - %(days)s * interval '1 day'
     ORDER BY created_at
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED))
