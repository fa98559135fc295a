"""What the newest migration of each app executes is what stands in its `sql/schema/`."""

from django.db.migrations.loader import MigrationLoader

from lib.schema_sql import SchemaSql, digest_of

APPS = ("accounts", "files", "runs", "tasks_inbox", "workflows")


def test_the_newest_migration_of_an_app_and_no_other_executes_its_schema_as_it_is():
    loader = MigrationLoader(None)
    expected, executed = {}, {}
    for app in APPS:
        [(_, newest)] = loader.graph.leaf_nodes(app)
        expected[app] = [(newest, digest_of(app))] if digest_of(app) else []
        executed[app] = [
            (name, operation.digest)
            for (of, name), migration in loader.disk_migrations.items()
            for operation in migration.operations
            if of == app and isinstance(operation, SchemaSql)
        ]
    assert executed == expected, (
        "a new migration ends with SchemaSql and the digest; the one before loses its own"
    )
    assert all(executed[app] for app in APPS)
