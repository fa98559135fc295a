-- What moves each open step of each open run, and compensations that wait for a person: exactly one row each.
-- `source` is NULL where nothing does: that must not be. What wakes a wait of a kind that others register
-- (`runs/kernel/wait_kinds.py`) is what they call it; whether it is there only they know (`missing`).
CREATE OR REPLACE VIEW runs_wake_source AS
SELECT s.run_id, s.tenant_id, r.status AS run_status, s.id AS step_id, s.node, s.status AS step_status,
       CASE s.status
           WHEN 'RUNNING' THEN 'leased'
           WHEN 'QUEUED' THEN CASE WHEN NOT s.held THEN 'claimable' WHEN r.status = 'PAUSED' THEN 'held'
                                   -- An item that was paused by itself.
                                   WHEN s.waiting IS NOT NULL THEN 'person' END
           ELSE CASE
               WHEN r.status NOT IN ('RUNNING', 'PAUSED', 'COMPENSATING', 'WAITING_FOR_MANUAL_ACTION') THEN NULL
               WHEN s.waiting ->> 'until' IS NOT NULL AND t.fire_at IS NULL THEN NULL
               WHEN s.waiting ->> 'kind' = 'timer' THEN CASE WHEN t.fire_at IS NOT NULL THEN 'timer' END
               -- No signal is there for it, or a message is on its way: with one, or to have one sent.
               WHEN s.waiting ->> 'kind' = 'signal' THEN CASE WHEN NOT EXISTS (
                        SELECT 1 FROM runs_signal g
                         WHERE g.root_id = coalesce(r.tree_id, r.root_id) AND g.name = s.waiting ->> 'name' AND g.consumed_at IS NULL
                           AND (g.index IS NULL OR g.index = s.index
                                OR EXISTS (SELECT 1 FROM jsonb_array_elements(r.place) AS p WHERE p -> 1 = to_jsonb(g.index)))
                           AND (g.child_id IS NULL OR EXISTS (
                                WITH RECURSIVE up(root_id, parent_id) AS (
                                    SELECT r.root_id, r.parent_id
                                    UNION ALL
                                    SELECT u.root_id, u.parent_id FROM up JOIN runs_run u ON u.id = up.parent_id
                                )
                                SELECT 1 FROM up WHERE up.root_id = g.child_id))
                           AND (g.step_id IS NULL OR NOT EXISTS (
                                SELECT 1 FROM runs_runmessage m
                                 WHERE m.kind IN ('signal', 'signal_returned') AND m.step_id = g.step_id
                                   AND m.payload ->> 'signal' = g.id::text)))
                    OR EXISTS (SELECT 1 FROM runs_runmessage m
                                WHERE m.kind IN ('signal', 'signal_wanted') AND m.step_id = s.id)
                    THEN 'signal' END
               -- Waits from before kinds said so were for people.
               WHEN s.waiting ->> 'kind' IS NOT NULL THEN coalesce(s.waiting ->> 'source', 'person') END
           END AS source,
       CASE s.status WHEN 'RUNNING' THEN s.lease_expires_at WHEN 'QUEUED' THEN s.available_at ELSE t.fire_at END AS at
  FROM runs_run r
  JOIN runs_stepexecution s ON s.run_id = r.id AND s.status IN ('QUEUED', 'RUNNING', 'WAITING')
  LEFT JOIN LATERAL (SELECT min(t.fire_at) AS fire_at FROM runs_timer t
                      WHERE s.status = 'WAITING' AND t.run_id = s.run_id AND t.step_id = s.id AND t.status = 'PENDING'
                        AND t.kind <> 'boundary') t ON true
 WHERE r.completed_at IS NULL
UNION ALL
SELECT r.id, r.tenant_id, r.status, s.id, s.node, s.status, 'person', NULL
  FROM runs_run r
  JOIN runs_stepexecution s ON s.run_id = r.id AND s.status = 'FAILED' AND s.undoes IS NOT NULL
 WHERE r.completed_at IS NULL AND r.status = 'WAITING_FOR_MANUAL_ACTION';
