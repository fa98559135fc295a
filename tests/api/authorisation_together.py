"""The routes of work on a draft, of a version, of items and of leaving: the scope of each method, and an address."""

_DRAFT = "/api/v1/workflows/ours"
_COMMENT = f"{_DRAFT}/comments/{{comment}}"

TOGETHER: dict[str, tuple[dict[str, str], str]] = {
    "api-member-impact": ({"GET": "members:manage"}, "/api/v1/members/operator-of-ours/impact"),
    "api-member-hand-over": (
        {"GET": "members:manage", "POST": "members:manage"},
        "/api/v1/members/operator-of-ours/hand-over",
    ),
    "api-group-impact": ({"GET": "members:manage"}, "/api/v1/groups/{group}/impact"),
    "api-workflow-presence": ({"POST": "workflows:read"}, f"{_DRAFT}/presence"),
    "api-workflow-readers": ({"GET": "members:read"}, f"{_DRAFT}/readers"),
    "api-workflow-comments": ({"GET": "workflows:read", "POST": "workflows:write"}, f"{_DRAFT}/comments"),
    "api-workflow-comment": ({"DELETE": "workflows:write"}, _COMMENT),
    "api-workflow-comment-resolve": ({"POST": "workflows:write"}, f"{_COMMENT}/resolve"),
    "api-workflow-comment-reopen": ({"POST": "workflows:write"}, f"{_COMMENT}/reopen"),
    **{
        f"api-step-{verb}": ({"POST": "runs:operate"}, f"/api/v1/runs/{{run}}/steps/a/{verb}")
        for verb in ("cancel", "pause", "unpause", "resume")
    },
    **{
        f"api-workflow-version-{verb}": ({"POST": "workflows:publish"}, f"{_DRAFT}/versions/1/{verb}")
        for verb in ("withdraw", "restore")
    },
    "api-run-items": ({"GET": "runs:read"}, "/api/v1/runs/{run}/items?node=a"),
}
