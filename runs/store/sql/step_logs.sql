-- name: keep_log
-- What attempts have said. A line has its number, so what is said again is kept once; those that have none follow those
-- that are there, for whoever asks has the step's row locked. Of the lines behind the last that is kept only their
-- number is, in one row. In order, so that two who keep lines of the same attempts never wait for each other.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
w AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(lines)s::jsonb)
      AS w(place int, step_id uuid, epoch int, attempt int, seq int, at timestamptz, level text, text text)
),
b AS (
    SELECT t.step_id, t.epoch, max(t.seq + coalesce(t.more - 1, 0)) AS last
      FROM runs_steplog t
     WHERE (t.step_id, t.epoch) IN (SELECT w.step_id, w.epoch FROM w WHERE w.seq IS NULL)
     GROUP BY t.step_id, t.epoch
),
n AS MATERIALIZED (
    SELECT DISTINCT ON (m.step_id, m.epoch, m.seq) m.*
      FROM (SELECT w.place, w.step_id, w.epoch, w.attempt, w.at, w.level, w.text,
                   coalesce(w.seq, coalesce(b.last, 0)
                            + row_number() OVER (PARTITION BY w.step_id, w.epoch ORDER BY w.place)) AS seq
              FROM w LEFT JOIN b ON b.step_id = w.step_id AND b.epoch = w.epoch) m
     ORDER BY m.step_id, m.epoch, m.seq, m.place
)
INSERT INTO runs_steplog AS t (tenant_id, run_id, shard, step_id, node, index, epoch, attempt, seq, at, level, text, more)
SELECT s.tenant_id, s.run_id, s.shard, s.id, s.node, s.index, l.epoch, l.attempt, l.seq, coalesce(l.at, clock.now),
       l.level, l.text, l.more
  FROM (SELECT n.step_id, n.epoch, n.attempt, n.seq, n.at, n.level, n.text, NULL::int AS more
          FROM n
         WHERE n.seq <= %(most)s
        UNION ALL
        SELECT n.step_id, n.epoch, max(n.attempt), %(most)s + 1, max(n.at), 'warning', '', max(n.seq) - %(most)s
          FROM n
         WHERE n.seq > %(most)s
         GROUP BY n.step_id, n.epoch) l
  JOIN runs_stepexecution s ON s.id = l.step_id
 CROSS JOIN clock
 ORDER BY s.id, l.epoch, l.seq
ON CONFLICT (step_id, epoch, seq) DO UPDATE SET more = excluded.more WHERE excluded.more > t.more
