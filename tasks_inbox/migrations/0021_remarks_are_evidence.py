"""What is said of tasks is a link of the chain, as decisions are; and no table of evidence can be emptied at once."""

from django.db import migrations, models

NEVER_EMPTIED = (
    "runs_historyevent",
    "runs_runseal",
    "tasks_inbox_taskdecision",
    "tasks_inbox_taskcomment",
    "tasks_inbox_evidencehead",
)
STAYS = """
CREATE TRIGGER tasks_remarks_append_only BEFORE UPDATE OR DELETE ON tasks_inbox_taskcomment
    FOR EACH ROW EXECUTE FUNCTION runs_history_is_append_only();
CREATE FUNCTION tasks_never_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
""" + "".join(
    f"CREATE TRIGGER never_emptied BEFORE TRUNCATE ON {table} EXECUTE FUNCTION tasks_never_emptied();\n"
    for table in NEVER_EMPTIED
)
GOES = (
    "DROP TRIGGER tasks_remarks_append_only ON tasks_inbox_taskcomment;\n"
    + "".join(f"DROP TRIGGER never_emptied ON {table};\n" for table in NEVER_EMPTIED)
    + "DROP FUNCTION tasks_never_emptied();"
)


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_inbox', '0020_named_and_undecidable'),
        ('runs', '0011_test_runs'),
    ]

    operations = [
        migrations.AddField(
            model_name='taskcomment',
            name='digest',
            field=models.TextField(null=True),
        ),
        migrations.AddField(
            model_name='taskcomment',
            name='record',
            field=models.TextField(null=True),
        ),
        migrations.AddField(
            model_name='taskcomment',
            name='seq',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddConstraint(
            model_name='taskcomment',
            constraint=models.UniqueConstraint(fields=('tenant_id', 'seq'), name='comment_place_once'),
        ),
        migrations.RunSQL(STAYS, GOES),
    ]
