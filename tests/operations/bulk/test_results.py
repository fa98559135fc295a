"""The results of bulk jobs as a file."""

import csv
from io import StringIO
from uuid import UUID

import pytest

from lib.uuid7 import uuid7
from operations.bulk import service
from runs.ports import BulkResult
from tests import factories as make
from tests.inbox.asking import member

pytestmark = pytest.mark.django_db


def test_no_cell_of_the_file_is_a_formula(client):
    boss, run = member("boss", "admin"), UUID(uuid7())
    refused = BulkResult(run, None, "refused", "=1", '=HYPERLINK("http://x")')
    job = service.record(boss, "discard", [refused])
    client.force_login(make.a_member("anna", "admin"))
    text = client.get(f"/bulk-jobs/{job}?format=csv").getvalue().decode("utf-8-sig")
    (row,) = csv.DictReader(StringIO(text, newline=""))
    assert (row["Run"], row["Code"], row["Why"]) == (str(run), "'=1", '\'=HYPERLINK("http://x")')
    assert (row["Dead letter or task"], row["Step"]) == ("", "")
