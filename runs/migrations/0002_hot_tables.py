"""How PostgreSQL keeps the hot tables, and that history is append-only (ENGINE "Leases", R-037)."""

from django.db import migrations

HOT = ("runs_run", "runs_stepexecution", "runs_stepjoin", "runs_historyevent")
TUNED = "".join(
    f"""
    ALTER TABLE {table} SET (
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000);
    """
    for table in HOT
)
# Heartbeats rewrite rows in place; room on the page lets them stay off the indexes.
ROOM = "ALTER TABLE runs_stepexecution SET (fillfactor = 80); ALTER TABLE runs_run SET (fillfactor = 80);"
PLAIN = "".join(
    f"""
    ALTER TABLE {table} RESET (
        autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_analyze_scale_factor,
        autovacuum_analyze_threshold, autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_insert_threshold,
        fillfactor);
    """
    for table in HOT
)
APPEND_ONLY = """
CREATE FUNCTION runs_history_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- The archiver says so in its transaction before it deletes what it has stored elsewhere.
    IF TG_OP = 'DELETE' AND current_setting('handoff.archiving', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'history is append-only' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER runs_history_append_only BEFORE UPDATE OR DELETE ON runs_historyevent
    FOR EACH ROW EXECUTE FUNCTION runs_history_is_append_only();
"""
NOT_APPEND_ONLY = """
DROP TRIGGER runs_history_append_only ON runs_historyevent;
DROP FUNCTION runs_history_is_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("runs", "0001_initial")]

    operations = [
        migrations.RunSQL(TUNED + ROOM, PLAIN),
        migrations.RunSQL(APPEND_ONLY, NOT_APPEND_ONLY),
    ]
