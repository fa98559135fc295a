"""Words of titles are found by an index: each three letters that stand beside each other, as one array."""

from django.contrib.postgres.indexes import GinIndex
from django.db import migrations, models

LETTERS = """
-- Every three letters of a text that stand beside each other, as ILIKE compares them. What pg_trgm does, which not
-- every server has.
CREATE FUNCTION tasks_inbox_letters(text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT coalesce(array_agg(DISTINCT substr(u, n, 3)), '{}') FROM lower($1) u, generate_series(1, length(u) - 2) n
$$;
"""
NO_LETTERS = "DROP FUNCTION tasks_inbox_letters(text);"


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_inbox', '0017_held_together'),
    ]

    operations = [
        migrations.RunSQL(LETTERS, NO_LETTERS),
        migrations.AddIndex(
            model_name='manualtask',
            index=GinIndex(
                models.Func('title', function='tasks_inbox_letters'),
                name='task_title',
            ),
        ),
    ]
