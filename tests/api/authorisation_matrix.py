"""Who may do what: every route with, for each method, the scope that it needs (docs/security.md, "Default deny").

`PUBLIC` needs no credentials. A route or method that is not here fails `test_authorisation.py`.
"""

from dataclasses import dataclass, field

from tests.api.authorisation_lists import LISTS
from tests.api.authorisation_together import TOGETHER

PUBLIC = "public"
NOBODY = "00000000-0000-7000-8000-000000000000"


@dataclass(frozen=True)
class Route:
    """One route: `methods` says the scope of each, `path` is an address that fits it; `{run}`, `{other}`, `{job}`,
    `{letter}`, `{task}`, `{file}`, `{token}`, `{webhook}`, `{outgoing}`, `{delivery}`, `{schedule}`, `{bulk}`,
    `{calendar}`, `{case}`, `{comment}`, `{away}`, `{view}`, `{group}` and `{folder}` in it stand for ids."""

    methods: dict[str, str]
    path: str
    page: bool = False
    names_object: bool = False  # Of another tenant it must be a 404.
    headers: dict[str, str] = field(default_factory=dict)


def _page(methods: dict[str, str], path: str) -> Route:
    return Route(methods, path, page=True)


_DRAFT = {"HTTP_IF_MATCH": '"1"'}
_FILLS_IN, _STARTS = {"POST": "runs:start"}, {"GET": "runs:start", "POST": "runs:start"}

MATRIX: dict[str, Route] = {
    "healthz": _page({"GET": PUBLIC}, "/healthz"),
    "readyz": _page({"GET": PUBLIC}, "/readyz"),
    "metrics": _page({"GET": PUBLIC}, "/metrics"),  # It has a token of its own.
    "login": _page({"GET": PUBLIC, "POST": PUBLIC}, "/login"),
    "password-forgotten": _page({"GET": PUBLIC, "POST": PUBLIC}, "/password/forgotten"),
    "password-link": _page({"GET": PUBLIC, "POST": PUBLIC}, "/password/link/none"),
    "settings": _page({"GET": "tasks:read"}, "/settings/"),
    "settings-me": _page({"GET": "tasks:read", "POST": "tasks:read"}, "/settings/me"),
    "settings-notifications": _page({"GET": "tasks:read", "POST": "tasks:read"}, "/settings/notifications"),
    "inbox-open": _page({"GET": PUBLIC, "POST": PUBLIC}, "/inbox/open/none"),
    "logout": _page({"POST": PUBLIC}, "/logout"),
    "api-docs": _page({"GET": PUBLIC}, "/api/docs"),
    "api-schema": Route({"GET": PUBLIC}, "/api/v1/schema"),
    "api-unknown": Route({}, "/api/none"),
    "api-workflows": Route({"GET": "workflows:read", "POST": "workflows:write"}, "/api/v1/workflows"),
    "api-workflows-validate": Route({"POST": "workflows:read"}, "/api/v1/workflows/validate"),
    "api-workflows-import": Route({"POST": "workflows:write"}, "/api/v1/workflows/import"),
    "api-step-types": Route({"GET": "workflows:read"}, "/api/v1/step-types"),
    "api-definition-schema": Route({"GET": "workflows:read"}, "/api/v1/definition-schema"),
    "api-workflows-read": Route({"POST": "workflows:read"}, "/api/v1/workflows/read"),
    "api-workflows-write": Route({"POST": "workflows:read"}, "/api/v1/workflows/write"),
    "api-workflow": Route(
        {"GET": "workflows:read", "PATCH": "workflows:write", "DELETE": "workflows:write"},
        "/api/v1/workflows/ours",
        names_object=True,
    ),
    "api-workflow-export": Route(
        {"GET": "workflows:read"}, "/api/v1/workflows/ours/export", names_object=True
    ),
    "api-workflow-draft": Route(
        {"GET": "workflows:read", "PUT": "workflows:write", "PATCH": "workflows:write"},
        "/api/v1/workflows/ours/draft",
        names_object=True,
        headers=_DRAFT,
    ),
    "api-workflow-scope": Route(
        {"POST": "workflows:read"}, "/api/v1/workflows/ours/scope", names_object=True
    ),
    "api-workflow-deciders": Route(
        {"POST": "workflows:read"}, "/api/v1/workflows/ours/deciders", names_object=True
    ),
    "api-workflow-evaluate": Route(
        {"POST": "workflows:read"}, "/api/v1/workflows/ours/evaluate", names_object=True
    ),
    "api-workflow-rename-step": Route(
        {"POST": "workflows:read"}, "/api/v1/workflows/ours/rename-step", names_object=True
    ),
    "api-workflow-draft-changes": Route(
        {"GET": "workflows:read"}, "/api/v1/workflows/ours/draft/changes", names_object=True
    ),
    "api-workflow-publish": Route(
        {"POST": "workflows:publish"}, "/api/v1/workflows/ours/publish", names_object=True
    ),
    "api-workflow-diff": Route(
        {"GET": "workflows:read"}, "/api/v1/workflows/ours/diff?from=1", names_object=True
    ),
    "api-workflow-versions": Route(
        {"GET": "workflows:read"}, "/api/v1/workflows/ours/versions", names_object=True
    ),
    "api-workflow-version": Route(
        {"GET": "workflows:read"}, "/api/v1/workflows/ours/versions/1", names_object=True
    ),
}

MATRIX |= {
    "api-workflow-test-cases": Route(
        {"GET": "workflows:read", "POST": "workflows:write"},
        "/api/v1/workflows/ours/test-cases",
        names_object=True,
    ),
    "api-workflow-test-case": Route(
        {"GET": "workflows:read", "PATCH": "workflows:write", "DELETE": "workflows:write"},
        "/api/v1/workflows/ours/test-cases/{case}",
        names_object=True,
    ),
    "api-workflow-test-cases-run": Route(
        {"POST": "workflows:read"}, "/api/v1/workflows/ours/test-cases/run", names_object=True
    ),
    "api-workflow-test-cases-record": Route(
        {"POST": "workflows:write"}, "/api/v1/workflows/ours/test-cases/record", names_object=True
    ),
    "api-workflow-trials": Route({"POST": "runs:start"}, "/api/v1/workflows/ours/trials", names_object=True),
    "api-runs": Route({"GET": "runs:read", "POST": "runs:start"}, "/api/v1/runs"),
    "api-runs-batch": Route({"POST": "runs:start"}, "/api/v1/runs/batch"),
    "api-run": Route({"GET": "runs:read"}, "/api/v1/runs/{run}", names_object=True),
    "api-run-steps": Route({"GET": "runs:read"}, "/api/v1/runs/{run}/steps", names_object=True),
    "api-run-children": Route({"GET": "runs:read"}, "/api/v1/runs/{run}/children", names_object=True),
    "api-run-history": Route({"GET": "runs:read"}, "/api/v1/runs/{run}/history", names_object=True),
    "api-run-cancel": Route({"POST": "runs:operate"}, "/api/v1/runs/{run}/cancel", names_object=True),
    "api-run-resume": Route({"POST": "runs:operate"}, "/api/v1/runs/{run}/resume", names_object=True),
    "api-run-rerun": Route({"POST": "runs:operate"}, "/api/v1/runs/{run}/rerun", names_object=True),
    "api-step-retry": Route({"POST": "runs:operate"}, "/api/v1/runs/{run}/steps/a/retry", names_object=True),
    "api-step-skip": Route({"POST": "runs:operate"}, "/api/v1/runs/{run}/steps/a/skip", names_object=True),
    "api-run-pause": Route({"POST": "runs:operate"}, "/api/v1/runs/{run}/pause", names_object=True),
    "api-run-unpause": Route({"POST": "runs:operate"}, "/api/v1/runs/{run}/unpause", names_object=True),
    "api-dead-letters-redrive": Route({"POST": "runs:operate"}, "/api/v1/dead-letters/redrive"),
    "api-dead-letter-redrive": Route(
        {"POST": "runs:operate"}, "/api/v1/dead-letters/{letter}/redrive", names_object=True
    ),
    "api-dead-letter-discard": Route(
        {"POST": "runs:operate"}, "/api/v1/dead-letters/{letter}/discard", names_object=True
    ),
    "api-run-signals": Route({"POST": "runs:signal"}, "/api/v1/runs/{run}/signals", names_object=True),
    "api-signals": Route({"POST": "runs:signal"}, "/api/v1/signals"),
    "api-signals-broadcast": Route({"POST": "runs:signal"}, "/api/v1/signals/broadcast"),
    "hook": _page({"POST": PUBLIC}, "/hooks/AAAAAAAAAAAAAAAAAAAAAA"),
    "api-webhooks": Route({"GET": "webhooks:manage", "POST": "webhooks:manage"}, "/api/v1/webhooks"),
    "api-webhook": Route(
        {"GET": "webhooks:manage", "PATCH": "webhooks:manage", "DELETE": "webhooks:manage"},
        "/api/v1/webhooks/{webhook}",
        names_object=True,
    ),
    "api-webhook-rotate": Route(
        {"POST": "webhooks:manage"}, "/api/v1/webhooks/{webhook}/rotate", names_object=True
    ),
    "api-dead-letters": Route({"GET": "dead_letters:read"}, "/api/v1/dead-letters"),
    "api-jobs-claim": Route({"POST": "jobs:work"}, "/api/v1/jobs/claim"),
    "api-jobs-poll": Route({"POST": "jobs:work"}, "/api/v1/jobs/poll"),
    "api-job-complete": Route({"POST": "jobs:work"}, "/api/v1/jobs/{job}/complete", names_object=True),
    "api-job-fail": Route({"POST": "jobs:work"}, "/api/v1/jobs/{job}/fail", names_object=True),
    "api-job-heartbeat": Route({"POST": "jobs:work"}, "/api/v1/jobs/{job}/heartbeat", names_object=True),
    "api-job-release": Route({"POST": "jobs:work"}, "/api/v1/jobs/{job}/release", names_object=True),
    "home": _page({"GET": "runs:read"}, "/"),
    "find": _page({"GET": "runs:read"}, "/find"),
    "styleguide": _page({"GET": "tokens:manage"}, "/styleguide/"),
    "runs": _page({"GET": "runs:read"}, "/runs/"),
    "runs-counts": _page({"GET": "runs:read"}, "/runs/counts"),
    "runs-columns": _page({"POST": "runs:read"}, "/runs/columns"),
    "runs-search-keep": _page({"POST": "runs:read"}, "/runs/searches"),
    "runs-search-change": _page({"POST": "runs:read"}, "/runs/searches/1"),
    "runs-search-delete": _page({"POST": "runs:read"}, "/runs/searches/1/delete"),
    "runs-together": _page({"POST": "runs:operate"}, "/runs/together"),
    "run-items": Route({"GET": "runs:read"}, "/runs/{run}/items/each", page=True, names_object=True),
    "run-children": Route({"GET": "runs:read"}, "/runs/{run}/children", page=True, names_object=True),
    "run-preview": Route({"GET": "runs:read"}, "/runs/{run}/preview", page=True, names_object=True),
    "run": Route({"GET": "runs:read"}, "/runs/{run}", page=True, names_object=True),
    "run-value": Route({"GET": "runs:read"}, "/runs/{run}/value", page=True, names_object=True),
    "run-resume": Route({"POST": "runs:operate"}, "/runs/{run}/resume", page=True, names_object=True),
    "run-resume-on": Route(
        {"GET": "runs:operate", "POST": "runs:operate"}, "/runs/{run}/resume-on", page=True, names_object=True
    ),
    **{
        f"step-{verb}": Route(
            {"GET": "runs:operate", "POST": "runs:operate"},
            f"/runs/{{run}}/steps/a/{verb}",
            page=True,
            names_object=True,
        )
        for verb in ("retry", "skip", "rerun")
    },
    "run-cancel": Route({"POST": "runs:operate"}, "/runs/{run}/cancel", page=True, names_object=True),
    "run-pause": Route({"POST": "runs:operate"}, "/runs/{run}/pause", page=True, names_object=True),
    "run-unpause": Route({"POST": "runs:operate"}, "/runs/{run}/unpause", page=True, names_object=True),
    "step-leave": Route({"POST": "runs:operate"}, "/runs/{run}/steps/a/leave", page=True, names_object=True),
    "run-seen-to": Route({"POST": "runs:operate"}, "/runs/{run}/seen-to", page=True, names_object=True),
    "run-signal": Route(
        {"GET": "runs:signal", "POST": "runs:signal"}, "/runs/{run}/signal", page=True, names_object=True
    ),
    "run-again": Route(_STARTS, "/runs/{run}/again", page=True, names_object=True),
    "workflow-start": Route(_STARTS, "/workflows/ours/start", page=True, names_object=True),
    "workflow-start-form": Route(_FILLS_IN, "/workflows/ours/start/form", page=True, names_object=True),
    "workflow-start-draft": Route(_FILLS_IN, "/workflows/ours/start/draft", page=True, names_object=True),
    "workflow-runs": Route({"GET": "runs:read"}, "/workflows/ours/runs", page=True, names_object=True),
}

MATRIX |= {
    "api-run-evidence": Route({"GET": "tasks:read"}, "/api/v1/runs/{run}/evidence", names_object=True),
    "api-tasks": Route({"GET": "tasks:read"}, "/api/v1/tasks"),
    "api-task": Route({"GET": "tasks:read"}, "/api/v1/tasks/{task}", names_object=True),
    "api-task-claim": Route({"POST": "tasks:decide"}, "/api/v1/tasks/{task}/claim", names_object=True),
    "api-task-unclaim": Route({"POST": "tasks:decide"}, "/api/v1/tasks/{task}/unclaim", names_object=True),
    "api-task-assign": Route({"POST": "tasks:assign"}, "/api/v1/tasks/{task}/assign", names_object=True),
    "api-task-delegate": Route({"POST": "tasks:decide"}, "/api/v1/tasks/{task}/delegate", names_object=True),
    "api-task-comments": Route(
        {"GET": "tasks:read", "POST": "tasks:decide"}, "/api/v1/tasks/{task}/comments", names_object=True
    ),
    "api-task-counts": Route({"GET": "tasks:read"}, "/api/v1/tasks/counts"),
    "api-task-snooze": Route({"POST": "tasks:decide"}, "/api/v1/tasks/{task}/snooze", names_object=True),
    "api-task-watch": Route({"POST": "tasks:read"}, "/api/v1/tasks/{task}/watch", names_object=True),
    "api-task-unwatch": Route({"POST": "tasks:read"}, "/api/v1/tasks/{task}/unwatch", names_object=True),
    "api-task-ask": Route({"POST": "tasks:decide"}, "/api/v1/tasks/{task}/ask", names_object=True),
    "api-task-answer": Route({"POST": "tasks:read"}, "/api/v1/tasks/{task}/answer", names_object=True),
    "api-task-undo": Route({"POST": "tasks:read"}, "/api/v1/tasks/{task}/undo", names_object=True),
    "inbox-held": _page({"GET": "tasks:read"}, "/inbox/held"),
    "task-undo": Route({"POST": "tasks:read"}, "/inbox/{task}/undo", page=True, names_object=True),
    "api-task-escalate": Route({"POST": "tasks:decide"}, "/api/v1/tasks/{task}/escalate", names_object=True),
    "api-task-return": Route({"POST": "tasks:decide"}, "/api/v1/tasks/{task}/return", names_object=True),
    "api-task-resubmit": Route({"POST": "tasks:read"}, "/api/v1/tasks/{task}/resubmit", names_object=True),
    "api-task-complete": Route({"POST": "tasks:read"}, "/api/v1/tasks/{task}/complete", names_object=True),
    "api-task-resolve": Route({"POST": "tasks:decide"}, "/api/v1/tasks/{task}/resolve", names_object=True),
    "inbox": _page({"GET": "tasks:read"}, "/inbox/"),
    "task": Route({"GET": "tasks:read"}, "/inbox/{task}", page=True, names_object=True),
    "task-decide": Route({"POST": "tasks:read"}, "/inbox/{task}/decide", page=True, names_object=True),
    "api-task-draft": Route(
        {"GET": "tasks:read", "PUT": "tasks:read", "DELETE": "tasks:read"},
        "/api/v1/tasks/{task}/draft",
        names_object=True,
    ),
    "task-draft": Route({"POST": "tasks:read"}, "/inbox/{task}/draft", page=True, names_object=True),
    "api-task-files": Route(
        {"GET": "tasks:read", "POST": "tasks:read"},
        "/api/v1/tasks/{task}/files",
        names_object=True,
    ),
    "api-task-file": Route(
        {"GET": "tasks:read", "DELETE": "tasks:read"}, "/api/v1/tasks/{task}/files/{file}", names_object=True
    ),
    "task-attach": Route({"POST": "tasks:read"}, "/inbox/{task}/files", page=True, names_object=True),
    "task-take-back": Route(
        {"POST": "tasks:read"}, "/inbox/{task}/files/{file}/take-back", page=True, names_object=True
    ),
    "task-form": Route({"POST": "tasks:read"}, "/inbox/{task}/form", page=True, names_object=True),
    "task-resolve": Route({"POST": "tasks:decide"}, "/inbox/{task}/resolve", page=True, names_object=True),
    "task-comment": Route({"POST": "tasks:decide"}, "/inbox/{task}/comment", page=True, names_object=True),
    "task-answer": Route({"POST": "tasks:read"}, "/inbox/{task}/answer", page=True, names_object=True),
    "task-escalate": Route({"POST": "tasks:decide"}, "/inbox/{task}/escalate", page=True, names_object=True),
    "task-return": Route({"POST": "tasks:decide"}, "/inbox/{task}/return", page=True, names_object=True),
    "task-resubmit": Route({"POST": "tasks:read"}, "/inbox/{task}/resubmit", page=True, names_object=True),
    "task-delegate": Route({"POST": "tasks:decide"}, "/inbox/{task}/delegate", page=True, names_object=True),
    "task-state": Route({"GET": "tasks:read"}, "/inbox/{task}/state", page=True, names_object=True),
    "task-snooze": Route({"POST": "tasks:decide"}, "/inbox/{task}/snooze", page=True, names_object=True),
    "task-watch": Route({"POST": "tasks:read"}, "/inbox/{task}/watch", page=True, names_object=True),
    "task-claim": Route({"POST": "tasks:decide"}, "/inbox/{task}/claim", page=True, names_object=True),
    "task-unclaim": Route({"POST": "tasks:decide"}, "/inbox/{task}/unclaim", page=True, names_object=True),
    "api-members": Route({"GET": "members:read", "POST": "members:manage"}, "/api/v1/members"),
    "api-member": Route(
        {"GET": "members:read", "PATCH": "members:manage", "DELETE": "members:manage"},
        "/api/v1/members/operator-of-ours",
        names_object=True,
    ),
    "api-member-sessions": Route(
        {"GET": "members:manage", "DELETE": "members:manage"},
        "/api/v1/members/operator-of-ours/sessions",
        names_object=True,
    ),
    "api-member-password-link": Route(
        {"POST": "members:manage"}, "/api/v1/members/operator-of-ours/password-link", names_object=True
    ),
    "api-me": Route({"GET": "tasks:read", "PATCH": "tasks:read"}, "/api/v1/me"),
    "api-me-notifications": Route({"GET": "tasks:read", "PATCH": "tasks:read"}, "/api/v1/me/notifications"),
    "api-groups": Route({"GET": "members:read", "POST": "members:manage"}, "/api/v1/groups"),
    "api-group": Route(
        {"GET": "members:read", "PATCH": "members:manage", "DELETE": "members:manage"},
        "/api/v1/groups/{group}",
        names_object=True,
    ),
    "api-folders": Route({"GET": "members:manage", "POST": "members:manage"}, "/api/v1/folders"),
    "api-folder": Route(
        {"GET": "members:manage", "PATCH": "members:manage", "DELETE": "members:manage"},
        "/api/v1/folders/{folder}",
        names_object=True,
    ),
}

MATRIX |= {
    "api-away-rules": Route({"GET": "tasks:read", "POST": "tasks:decide"}, "/api/v1/away"),
    "api-away-rule": Route({"DELETE": "tasks:decide"}, "/api/v1/away/{away}", names_object=True),
}

MATRIX |= {
    "settings-password": _page({"GET": "tasks:read", "POST": "tasks:read"}, "/settings/password"),
    "settings-away": _page({"GET": "tasks:read"}, "/settings/away"),
    "settings-away-add": _page({"POST": "tasks:decide"}, "/settings/away/add"),
    "settings-away-end": _page({"POST": "tasks:decide"}, "/settings/away/{away}/end"),
}

MATRIX |= {
    "api-inbox-views": Route({"GET": "tasks:read", "POST": "tasks:read"}, "/api/v1/inbox-views"),
    "api-inbox-view": Route(
        {"GET": "tasks:read", "PATCH": "tasks:read", "DELETE": "tasks:read"},
        "/api/v1/inbox-views/{view}",
        names_object=True,
    ),
    "api-tasks-bulk": Route({"POST": "tasks:decide"}, "/api/v1/tasks/bulk"),
    "inbox-bulk": _page({"GET": "tasks:decide"}, "/inbox/bulk"),
    "inbox-bulk-do": _page({"POST": "tasks:decide"}, "/inbox/bulk/do"),
    "inbox-views": _page({"GET": "tasks:read"}, "/inbox/views"),
    "inbox-view-add": _page({"POST": "tasks:read"}, "/inbox/views/add"),
    "inbox-view-change": _page({"POST": "tasks:read"}, "/inbox/views/{view}/change"),
    "inbox-view-delete": _page({"POST": "tasks:read"}, "/inbox/views/{view}/delete"),
}

MATRIX |= {
    "requests": _page({"GET": "tasks:read"}, "/requests/"),
    "request": Route({"GET": "tasks:read"}, "/requests/{run}", page=True, names_object=True),
    "request-withdraw": Route(_STARTS, "/requests/{run}/withdraw", page=True, names_object=True),
    "api-requests": Route({"GET": "tasks:read"}, "/api/v1/requests"),
    "api-requests-catalogue": Route({"GET": "runs:start"}, "/api/v1/requests/catalogue"),
    "api-request": Route({"GET": "tasks:read"}, "/api/v1/requests/{run}", names_object=True),
    "api-request-withdraw": Route(_FILLS_IN, "/api/v1/requests/{run}/withdraw", names_object=True),
}

_TOKENS = {"GET": "tokens:own", "POST": "tokens:own"}
_A_TOKEN = {"GET": "tokens:own", "PATCH": "tokens:own", "DELETE": "tokens:own"}

MATRIX |= {
    "api-tokens": Route(_TOKENS, "/api/v1/tokens"),
    "api-token": Route(_A_TOKEN, "/api/v1/tokens/{token}", names_object=True),
    "settings-tokens": _page(_TOKENS, "/settings/tokens"),
    "settings-token": _page(_TOKENS, "/settings/tokens/{token}"),
    "settings-token-revoke": _page(_TOKENS, "/settings/tokens/{token}/revoke"),
}

_MANAGE = {"GET": "members:manage", "POST": "members:manage"}

MATRIX |= {
    "settings-members": _page({"GET": "members:read"}, "/settings/members"),
    "settings-member-add": _page(_MANAGE, "/settings/add-member"),
    "settings-member": _page(_MANAGE, "/settings/members/operator-of-ours"),
    "settings-member-remove": _page({"POST": "members:manage"}, "/settings/members/operator-of-ours/remove"),
    "settings-member-groups": _page({"POST": "members:manage"}, "/settings/members/operator-of-ours/groups"),
    "settings-member-log-out": _page(
        {"POST": "members:manage"}, "/settings/members/operator-of-ours/log-out"
    ),
    "settings-member-active": _page({"POST": "members:manage"}, "/settings/members/operator-of-ours/active"),
    "settings-member-send-link": _page(
        {"POST": "members:manage"}, "/settings/members/operator-of-ours/send-link"
    ),
    "settings-member-make-link": _page(
        {"POST": "members:manage"}, "/settings/members/operator-of-ours/make-link"
    ),
    "settings-groups": _page({"GET": "members:read"}, "/settings/groups"),
    "settings-group-add": _page(_MANAGE, "/settings/add-group"),
    "settings-group": _page(_MANAGE, "/settings/groups/{group}"),
    "settings-group-delete": _page({"POST": "members:manage"}, "/settings/groups/{group}/delete"),
    "settings-folders": _page({"GET": "members:manage"}, "/settings/folders"),
    "settings-folder-add": _page(_MANAGE, "/settings/add-folder"),
    "settings-folder": _page(_MANAGE, "/settings/folders/{folder}"),
    "settings-folder-delete": _page({"POST": "members:manage"}, "/settings/folders/{folder}/delete"),
}

_WRITE = {"POST": "workflows:write"}
_FORM = {"GET": "workflows:write"} | _WRITE

MATRIX |= {
    "workflows": _page({"GET": "workflows:read"}, "/workflows/"),
    "workflow-new": _page(_FORM, "/workflows/new"),
    "workflow-import": _page(_FORM, "/workflows/import"),
    "workflow-examples": _page({"GET": "workflows:read"}, "/workflows/examples"),
    "workflow-take-example": _page({"POST": "workflows:publish"}, "/workflows/examples/order-check"),
    "workflow": _page({"GET": "workflows:read"}, "/workflows/ours/"),
    "workflow-edit": _page({"GET": "workflows:read"}, "/workflows/ours/edit"),
    "workflow-pipeline": _page(_FORM, "/workflows/ours/pipeline"),
    "workflow-versions": _page({"GET": "workflows:read"}, "/workflows/ours/versions"),
    "workflow-restore": _page(_WRITE, "/workflows/ours/versions/1/edit"),
    "workflow-definition": _page({"GET": "workflows:read"} | _WRITE, "/workflows/ours/definition"),
    "workflow-download": _page({"GET": "workflows:read"}, "/workflows/ours/definition.json"),
    "workflow-archive": _page(_WRITE, "/workflows/ours/archive"),
    "workflow-move": _page({"POST": "workflows:write"}, "/workflows/ours/move"),
    "workflow-duplicate": _page(_WRITE, "/workflows/ours/duplicate"),
}


MATRIX |= {name: Route(methods, path, names_object=True) for name, (methods, path) in TOGETHER.items()}
for _name, (_methods, _path) in LISTS.items():
    _is_page, _names = not _path.startswith(("/api/", "/v1/")), "{" in _path or "/ours" in _path
    MATRIX[_name] = Route(_methods, _path, _is_page, _names)
_NAMED = ("run", "other", "job", "letter", "task", "webhook", "outgoing", "file", "token", "schedule", "bulk")
_NUMBERED = ("delivery", "group", "folder", "case", "comment", "away", "view", "search", "calendar", "alert",
             "alert_rule", "channel")  # fmt: skip


def address(name: str, **ids: str | int) -> str:
    """An address of the route; of what has no id here nobody has one."""
    return MATRIX[name].path.format(**(dict.fromkeys(_NAMED, NOBODY) | dict.fromkeys(_NUMBERED, 0) | ids))
