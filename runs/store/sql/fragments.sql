-- name: given_input (fragment)
CASE WHEN s.input_from IS NULL THEN s.input
     ELSE coalesce((SELECT p.output FROM runs_stepexecution p WHERE p.id = s.input_from),
                   (SELECT r.input FROM runs_run r WHERE r.id = s.input_from)) END
