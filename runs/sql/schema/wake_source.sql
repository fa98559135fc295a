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
               WHEN s.waiting ->> 'kind' = 'signal' THEN CASE WHEN NOT EXISTS (
                        SELECT 1 FROM runs_signal g
                         WHERE g.root_id = r.root_id AND g.name = s.waiting ->> 'name' AND g.consumed_at IS NULL)
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
