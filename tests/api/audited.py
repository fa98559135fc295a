"""Which routes and commands leave a record in the audit log, and why the others leave none.

Whatever changes something is in one of these lists; a new route or command fails `test_audited.py` until somebody has
decided. Features have theirs in `routes.py` of their tests.
"""

from collections.abc import Mapping
from typing import Any, Final

from tests import of_features
from tests.api.playing import each

_OWN_RECORDED: Final[Mapping[str, str]] = {
    "away.create": "api-away-rules settings-away-add",
    "away.end": "api-away-rule:DELETE settings-away-end",
    "calendar.create": "api-calendars calendar-new",
    "calendar.change": "api-calendar:PATCH calendar-change",
    "calendar.delete": "api-calendar:DELETE calendar-delete",
    "folder.create": "api-folders settings-folder-add",
    "folder.change": "api-folder:PATCH settings-folder",
    "folder.delete": "api-folder:DELETE settings-folder-delete",
    "group.create": "api-groups settings-group-add",
    "group.change": "api-group:PATCH settings-group",
    "group.delete": "api-group:DELETE settings-group-delete",
    "member.add": "api-members settings-member-add",
    "member.change": "settings-member",
    "member.deactivate": "api-member:PATCH settings-member-active",
    "member.remove": "api-member:DELETE settings-member-remove",
    "member.groups": "settings-member-groups",
    "member.end_sessions": "api-member-sessions:DELETE settings-member-log-out",
    "member.hand_over": "api-member-hand-over settings-member-hand-over",
    "member.send_password_link": "settings-member-send-link",
    "member.make_password_link": "api-member-password-link settings-member-make-link",
    "token.create": "api-tokens settings-tokens",
    "token.change": "api-token:PATCH settings-token",
    "token.rotate": "api-token-rotate settings-token-rotate",
    "token.revoke": "api-token-revoke api-token:DELETE settings-token-revoke",
    "user.change": "api-me:PATCH api-me-notifications:PATCH settings-me settings-notifications",
    "user.change_password": "settings-password",
    "user.set_password_by_link": "password-link",
    "workflow.create": (
        "api-workflows api-workflows-import workflow-new workflow-import workflow-duplicate "
        "workflow-take-example"
    ),
    "workflow.publish": "api-workflow-publish workflow-definition",
    "workflow.update": "workflow-move",
    "workflow.archive": "api-workflow:PATCH api-workflow:DELETE workflow-archive",
    "workflow.withdraw": "api-workflow-version-withdraw workflow-version-withdraw",
    "workflow.restore_version": "api-workflow-version-restore workflow-version-restore",
}
RECORDED: Final = of_features.joined(_OWN_RECORDED, "routes", "RECORDED")
"""What each route records."""

SENT: Final[Mapping[tuple[str, str], dict[str, Any]]] = {
    **of_features.table("routes", "SENT"),
    ("api-calendars", "POST"): {"name": "two"},
    ("api-groups", "POST"): {"name": "Sales"},
    ("api-member-password-link", "POST"): {"hand_over": True},
    ("api-workflows", "POST"): {"name": "two"},
    ("settings-folder-add", "POST"): {"name": "Legal"},
    ("settings-group-add", "POST"): {"name": "Sales"},
    ("settings-member-add", "POST"): {"username": "zoe", "role": "viewer"},
    ("settings-me", "POST"): {"name": "Ada", "time_zone": "", "locale": "", "density": "compact"},
}
"""Bodies that are good, beside those that other tests have."""

UNPLAYED: Final = each(
    of_features.words("routes", "UNPLAYED") +
    # Their forms are long: tests/web plays them, and each calls the service that its sibling of REST calls.
    "settings-away-add settings-member settings-token "
    "calendar-new calendar-change settings-folder settings-group settings-tokens "
    "settings-token-rotate settings-password password-link "
    "workflow-import api-workflows-import "
    "workflow-definition settings-member-groups workflow-move "
    # Nothing changes where everything is as it was, no mail server is there, or nobody has a session.
    "api-workflow-publish api-member-hand-over settings-member-hand-over settings-member-send-link "
    "settings-member-log-out "
    "api-member-sessions:DELETE workflow-new "
)

_OWN_NOT_RECORDED: Final[Mapping[str, str]] = {
    "starts or operates runs, which have a history": (
        "api-dead-letter-discard api-dead-letter-redrive api-dead-letters-redrive api-dead-letters-discard "
        "operations-letter-redrive "
        "api-run-cancel api-run-migrate api-run-pause api-run-rerun "
        "api-run-resume api-run-signals api-run-unpause api-runs api-runs-batch api-runs-bulk "
        "api-signals api-signals-broadcast api-step-cancel api-step-pause api-step-resume "
        "api-step-retry api-step-skip api-step-unpause run-again run-cancel run-items-act run-migrate "
        "run-pause run-resume run-resume-on run-seen-to run-signal run-unpause step-leave step-rerun "
        "step-retry step-skip workflow-start workflow-start-draft workflow-start-form workflow-test-form "
        "api-request-remind request-remind api-request-withdraw request-withdraw api-workflow-trials"
    ),
    "is work on a job, which history has": (
        "api-job-complete api-job-fail api-job-heartbeat api-job-release api-jobs-claim "
        "api-jobs-complete api-jobs-fail api-jobs-heartbeat api-jobs-poll"
    ),
    "is work on a task, which the ledger or its own history has": (
        "api-task-answer api-task-ask api-task-assign api-task-claim api-task-comments "
        "api-task-complete api-task-delegate api-task-draft:DELETE api-task-draft:PUT "
        "api-task-escalate api-task-file:DELETE api-task-files api-task-resolve api-task-resubmit "
        "api-task-return api-task-snooze api-task-unclaim api-task-undo api-task-unwatch "
        "api-task-watch api-tasks-bulk inbox-bulk-do inbox-open task-answer task-attach task-claim "
        "task-comment task-decide task-delegate task-draft task-escalate task-form task-resolve "
        "task-resubmit task-return task-snooze task-take-back task-unclaim task-undo task-watch"
    ),
    "changes a draft, its comments or test cases; versions are recorded": (
        "api-workflow-draft:PATCH api-workflow-draft:PUT api-workflow-comments api-workflow-comment:DELETE "
        "api-workflow-comment-reopen api-workflow-comment-resolve api-workflow-test-cases "
        "api-workflow-test-case:DELETE api-workflow-test-case:PATCH api-workflow-test-cases-record "
        "api-workflow-test-cases-run workflow-pipeline workflow-restore api-workflow-presence"
    ),
    "is what somebody saves for themselves, or their login": (
        "api-inbox-views api-inbox-view:DELETE api-inbox-view:PATCH inbox-view-add inbox-view-change "
        "api-files inbox-view-delete api-run-searches api-run-search:DELETE api-run-search:PATCH runs-search-keep "
        "runs-search-change runs-search-delete runs-columns login logout password-forgotten"
    ),
    "answers a question": (
        "api-decision-table-export api-decision-table-import api-decision-table-test "
        "api-workflow-deciders api-workflow-evaluate api-workflow-rename-step api-workflow-rename-fact "
        "api-workflow-scope api-workflows-read api-workflows-validate api-workflows-write api-calendar-preview"
    ),
}
NOT_RECORDED: Final = of_features.joined(_OWN_NOT_RECORDED, "routes", "NOT_RECORDED")
"""Why a route records nothing."""

COMMANDS: Final = frozenset(
    {
        "create_token",
        "first_start",
        "load_examples",
        "password_link",
        "prepare",
        "publish_workflow",
        "revoke_token",
        "rotate_master_key",
    }
)
"""Commands that record what they change; `prepare` calls others of these."""
SILENT_COMMANDS: Final[Mapping[str, str]] = {
    "doctor": "reads",
    "list_tokens": "reads",
    "lost_workers": "gives back jobs, which history has",
    "print_workflow": "reads",
    "relay": "a process",
    "run_workflow": "starts a run, which has a history",
    "up": "a process",
    "verify_audit": "reads",
    "verify_history": "reads",
    "worker": "a process",
}
