"""Whatever is asked by whomever: no answer is our fault, and none is another one than the OpenAPI document says."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from accounts.roles import TOKEN_ROLES
from tests.api.furnishing import has_everything
from tests.people import People
from tests.serving import site

__all__ = ["site"]

SECONDS = 240
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
# By its name in addresses, what the tenant that has everything calls it; what is not named is made up.
NAMED = {
    "alert_id": "alert", "alert_rule_id": "alert_rule", "alert_channel_id": "channel",
    "bulk_id": "bulk", "calendar": "calendar", "case_id": "case", "comment_id": "comment", "delivery_id": "delivery",
    "file_id": "file", "folder_id": "folder", "group_id": "group", "job_id": "job", "letter_id": "letter",
    "outgoing_id": "outgoing", "rule_id": "away", "run_id": "run", "schedule": "schedule", "task_id": "task",
    "token_id": "token", "view_id": "view", "webhook_id": "webhook",
}  # fmt: skip
ALWAYS = {"name": "ours", "node": "a", "number": 1, "username": "viewer-of-ours"}


@pytest.mark.soak
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("role", sorted(TOKEN_ROLES))
def test_no_call_is_answered_by_what_the_document_does_not_say(site, tmp_path, role):
    people = People()
    token = people.token(role)
    for each in ("viewer", "operator"):
        people.member(each)
    ids = has_everything(people.client("admin"))
    named = ALWAYS | {name: ids[ours] for name, ours in NAMED.items()}
    config = tmp_path / "schemathesis.toml"
    config.write_text(
        "[parameters]\n" + "".join(f'"path.{name}" = {json.dumps(value)}\n' for name, value in named.items())
    )
    done = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            f"--config-file={config}",
            "run",
            f"{site}/api/v1/schema",
            f"--header=Authorization: Bearer {token}",
            f"--checks={CHECKS}",
            f"--max-time={SECONDS}",
            "--continue-on-failure",
            "--warnings=off",
            "--no-color",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:]
