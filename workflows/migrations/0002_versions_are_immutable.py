"""The database itself refuses to change a published version, whoever asks."""

from django.db import migrations

FORWARD = """
CREATE FUNCTION workflows_version_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a published version never changes; publish a new one'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE TRIGGER workflowversion_immutable BEFORE UPDATE ON workflows_workflowversion
    FOR EACH ROW EXECUTE FUNCTION workflows_version_is_immutable();
"""

BACKWARD = """
DROP TRIGGER workflowversion_immutable ON workflows_workflowversion;
DROP FUNCTION workflows_version_is_immutable();
"""


class Migration(migrations.Migration):
    dependencies = [("workflows", "0001_initial")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
