-- Hot tables are vacuumed by counts, not by shares of their size (docs/engine.md, "Leases").
DO $$
DECLARE
    hot text;
BEGIN
    FOREACH hot IN ARRAY ARRAY['run', 'stepexecution', 'stepjoin', 'container', 'historyevent', 'timer', 'signal', 'treecount'] LOOP
        EXECUTE format(
            'ALTER TABLE runs_%s SET ('
            ' autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,'
            ' autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000,'
            ' autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000)', hot);
    END LOOP;
END $$;
-- Heartbeats rewrite rows in place; room on the page lets them stay off the indexes.
ALTER TABLE runs_stepexecution SET (fillfactor = 80);
ALTER TABLE runs_run SET (fillfactor = 80);
-- Each row is changed again and again while its tree starts runs.
ALTER TABLE runs_treecount SET (fillfactor = 50);
