"""Functions, triggers and views as files in `sql/schema/` of an app: their text of today is there to read, and the
app's newest migration executes it.

Each statement of such a file may be executed again (`CREATE OR REPLACE`). A change comes with a migration that ends
with `SchemaSql` and the new digest; the migration before it loses its own (`tests/architecture/test_schema_sql.py`).
"""

from hashlib import sha256
from pathlib import Path

from django.apps import apps
from django.db import migrations

FUNCTIONS = "functions.sql"
"""What columns and indexes are made of: the one file that is executed before the tables."""


class SchemaFunctions(migrations.RunSQL):
    """Executes the `functions.sql` of an app."""

    def __init__(self, app: str) -> None:
        super().__init__((_folder(app) / FUNCTIONS).read_text(), migrations.RunSQL.noop)


class SchemaSql(migrations.RunSQL):
    """Executes the other files of an app; `digest` is what `digest_of` gives for them.

    On the way back nothing is undone: what hangs on a table goes with it.
    """

    def __init__(self, app: str, digest: str) -> None:
        super().__init__("\n".join(path.read_text() for path in _files(app)), migrations.RunSQL.noop)
        self.digest = digest


def digest_of(app: str) -> str:
    """The first letters of the SHA-256 of what `SchemaSql` executes for this app; empty where it has no files."""
    files = _files(app)
    return sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:12] if files else ""


def _files(app: str) -> list[Path]:
    return [path for path in sorted(_folder(app).glob("*.sql")) if path.name != FUNCTIONS]


def _folder(app: str) -> Path:
    return Path(apps.get_app_config(app).path) / "sql" / "schema"
