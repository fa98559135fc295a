"""A call for each route of Handoff, to be sent by a client.

Written by generate.py from the OpenAPI document: change that, not this.
"""

from typing import Any, Literal

from handoff_sdk import models
from handoff_sdk.calls import LEFT_OUT, Call, LeftOut, given, path


def delete_alert_channel(alert_channel_id: str | int) -> Call[None]:
    """Removes the channel, also from rules; waiting messages are not sent."""
    return Call("DELETE", path("/alert-channels/{alert_channel_id}", alert_channel_id=alert_channel_id))


def delete_alert_rule(alert_rule_id: str | int) -> Call[None]:
    """Removes the rule and its alerts. 409 for a built-in one: switch that off."""
    return Call("DELETE", path("/alert-rules/{alert_rule_id}", alert_rule_id=alert_rule_id))


def delete_away_rule(rule_id: str | int) -> Call[None]:
    """Ends the rule: nobody stands in any more. Others' with `members:manage`."""
    return Call("DELETE", path("/away/{rule_id}", rule_id=rule_id))


def delete_calendar(calendar: str | int) -> Call[None]:
    """Removes the calendar: 409 with who uses it, while a version that starts or runs, or a schedule,
    does.
    """
    return Call("DELETE", path("/calendars/{calendar}", calendar=calendar))


def delete_case(name: str | int, case_id: str | int) -> Call[None]:
    """Deletes the test case."""
    return Call("DELETE", path("/workflows/{name}/test-cases/{case_id}", name=name, case_id=case_id))


def delete_comment(name: str | int, comment_id: str | int) -> Call[None]:
    """Deletes a comment of your own."""
    return Call("DELETE", path("/workflows/{name}/comments/{comment_id}", name=name, comment_id=comment_id))


def delete_folder(folder_id: str | int) -> Call[None]:
    """Deletes an empty folder; 409 while it contains workflows."""
    return Call("DELETE", path("/folders/{folder_id}", folder_id=folder_id))


def delete_group(group_id: str | int) -> Call[None]:
    """Deletes it, and what folders grant it; nobody can then decide tasks that ask only this group."""
    return Call("DELETE", path("/groups/{group_id}", group_id=group_id))


def delete_inbox_view(view_id: str | int) -> Call[None]:
    """Deletes your view, or with `members:manage` a shared one of others."""
    return Call("DELETE", path("/inbox-views/{view_id}", view_id=view_id))


def delete_member(username: str | int) -> Call[None]:
    """Ends the membership; the user and all that they did stay. Tasks they had claimed are open again."""
    return Call("DELETE", path("/members/{username}", username=username))


def delete_member_sessions(username: str | int) -> Call[None]:
    """Logs them out everywhere."""
    return Call("DELETE", path("/members/{username}/sessions", username=username))


def delete_outgoing_webhook(outgoing_id: str | int) -> Call[None]:
    """Removes the webhook; waiting messages are not sent."""
    return Call("DELETE", path("/webhooks/out/{outgoing_id}", outgoing_id=outgoing_id))


def delete_run_search(view_id: str | int) -> Call[None]:
    """Deletes your search, or with `members:manage` a shared one of others."""
    return Call("DELETE", path("/run-searches/{view_id}", view_id=view_id))


def delete_schedule(schedule: str | int) -> Call[None]:
    """Removes the schedule and its history; runs that it started stay."""
    return Call("DELETE", path("/schedules/{schedule}", schedule=schedule))


def delete_task_draft(task_id: str | int) -> Call[None]:
    """Deletes it; like everything about a draft, that leaves no trace."""
    return Call("DELETE", path("/tasks/{task_id}/draft", task_id=task_id))


def delete_task_file(task_id: str | int, file_id: str | int) -> Call[None]:
    """Withdraws a file that you have added; 409 if somebody has decided with it."""
    return Call("DELETE", path("/tasks/{task_id}/files/{file_id}", task_id=task_id, file_id=file_id))


def delete_token(token_id: str | int) -> Call[None]:
    """Revokes it, at once and for good, with those created with it; repeating it changes nothing."""
    return Call("DELETE", path("/tokens/{token_id}", token_id=token_id))


def delete_webhook(webhook_id: str | int) -> Call[None]:
    """Removes the webhook; its address never comes back."""
    return Call("DELETE", path("/webhooks/{webhook_id}", webhook_id=webhook_id))


def delete_workflow(name: str | int) -> Call[None]:
    """Archives the workflow: no new runs; versions and runs stay."""
    return Call("DELETE", path("/workflows/{name}", name=name))


def get_alert(alert_id: str | int) -> Call[models.Alert]:
    """The alert as it stands."""
    return Call("GET", path("/alerts/{alert_id}", alert_id=alert_id))


def get_alert_channel(alert_channel_id: str | int) -> Call[models.AlertChannel]:
    """The channel, and the result of the last message to it."""
    return Call("GET", path("/alert-channels/{alert_channel_id}", alert_channel_id=alert_channel_id))


def get_alert_channels(
    *, cursor: str | None = None, limit: int | None = None
) -> Call[models.AlertChannelPage]:
    """The channels, oldest first, each with the last message to it."""
    return Call("GET", "/alert-channels", query={"cursor": cursor, "limit": limit})


def get_alert_rule(alert_rule_id: str | int) -> Call[models.AlertRule]:
    """The rule."""
    return Call("GET", path("/alert-rules/{alert_rule_id}", alert_rule_id=alert_rule_id))


def get_alert_rules(*, cursor: str | None = None, limit: int | None = None) -> Call[models.AlertRulePage]:
    """The rules that raise alerts, oldest first; the built-in ones exist from the start."""
    return Call("GET", "/alert-rules", query={"cursor": cursor, "limit": limit})


def get_alerts(
    *,
    cursor: str | None = None,
    limit: int | None = None,
    status: Literal["open", "acknowledged", "resolved"] | None = None,
) -> Call[models.AlertPage]:
    """Alerts of the workflows that you may operate and of the whole tenant, newest first; admins see all."""
    return Call("GET", "/alerts", query={"cursor": cursor, "limit": limit, "status": status})


def get_audit(
    *,
    act: str | None = None,
    by: str | None = None,
    cursor: str | None = None,
    format: Literal["jsonl", "cef"] | None = None,
    limit: int | None = None,
    since: str | None = None,
    target: str | None = None,
    until: str | None = None,
) -> Call[models.AuditRecordPage | bytes]:
    """Who changed which setting and who was refused what, newest first; with `format` an export, oldest
    first, which goes on at the address in the header `Link`.
    """
    return Call(
        "GET",
        "/audit",
        query={
            "act": act,
            "by": by,
            "cursor": cursor,
            "format": format,
            "limit": limit,
            "since": since,
            "target": target,
            "until": until,
        },
    )


def get_away_rules(*, cursor: str | None = None, limit: int | None = None) -> Call[models.AwayPage]:
    """Your rules and those in which you stand in, also past ones, newest first; with `members:manage` all."""
    return Call("GET", "/away", query={"cursor": cursor, "limit": limit})


def get_bulk_job(
    bulk_id: str | int,
    *,
    cursor: str | None = None,
    limit: int | None = None,
    result: Literal["pending", "able", "moved", "done", "refused", "ended", "stopped"] | None = None,
) -> Call[models.BulkJob]:
    """The progress of the job, and a page of the results of its runs; with `result` only those."""
    return Call(
        "GET",
        path("/bulk-jobs/{bulk_id}", bulk_id=bulk_id),
        query={"cursor": cursor, "limit": limit, "result": result},
    )


def get_bulk_jobs(
    *, cursor: str | None = None, limit: int | None = None, workflow: str | None = None
) -> Call[models.BulkJobRowPage]:
    """A page of the bulk jobs, the newest first, without their counts; with `workflow` those of one."""
    return Call("GET", "/bulk-jobs", query={"cursor": cursor, "limit": limit, "workflow": workflow})


def get_calendar(calendar: str | int) -> Call[models.Calendar]:
    """The calendar."""
    return Call("GET", path("/calendars/{calendar}", calendar=calendar))


def get_calendar_days(
    calendar: str | int, *, from_: str | None = None, to: str | None = None
) -> Call[models.Days]:
    """Which of these days are working days, and their names; up to 400 days."""
    return Call("GET", path("/calendars/{calendar}/days", calendar=calendar), query={"from": from_, "to": to})


def get_calendar_uses(calendar: str | int) -> Call[models.Uses]:
    """The workflows, schedules and open due dates that use it, as far as you may read them."""
    return Call("GET", path("/calendars/{calendar}/uses", calendar=calendar))


def get_calendars(*, cursor: str | None = None, limit: int | None = None) -> Call[models.CalendarPage]:
    """The calendars of the tenant, and of folders in which you may read, by name."""
    return Call("GET", "/calendars", query={"cursor": cursor, "limit": limit})


def get_case(name: str | int, case_id: str | int) -> Call[models.Case]:
    """The test case."""
    return Call("GET", path("/workflows/{name}/test-cases/{case_id}", name=name, case_id=case_id))


def get_cases(
    name: str | int, *, cursor: str | None = None, limit: int | None = None
) -> Call[models.CasePage]:
    """The test cases of a workflow, newest first."""
    return Call(
        "GET", path("/workflows/{name}/test-cases", name=name), query={"cursor": cursor, "limit": limit}
    )


def get_catalogue(*, q: str | None = None) -> Call[models.CataloguePage]:
    """The published workflows that you may start, recently requested first; 200 at most: search with `q`."""
    return Call("GET", "/requests/catalogue", query={"q": q})


def get_comments(
    name: str | int,
    *,
    cursor: str | None = None,
    limit: int | None = None,
    resolved: bool | None = None,
    step: str | None = None,
) -> Call[models.StepCommentPage]:
    """Comments on the steps of the draft, newest first, also on deleted steps."""
    return Call(
        "GET",
        path("/workflows/{name}/comments", name=name),
        query={"cursor": cursor, "limit": limit, "resolved": resolved, "step": step},
    )


def get_dead_letters(
    *,
    cursor: str | None = None,
    limit: int | None = None,
    resolution: Literal["open", "resolved"] | None = None,
) -> Call[models.DeadLetterPage]:
    """The steps that failed their run for good, newest first."""
    return Call("GET", "/dead-letters", query={"cursor": cursor, "limit": limit, "resolution": resolution})


def get_definition_schema() -> Call[models.DefinitionSchema]:
    """JSON Schema of a node, an edge, the settings and what stands in them, with titles and help."""
    return Call("GET", "/definition-schema")


def get_diff(name: str | int, *, from_: str | None = None, to: str | None = None) -> Call[models.Diff]:
    """What turns one version, or the draft, into another: as changes, by field, and in a sentence."""
    return Call("GET", path("/workflows/{name}/diff", name=name), query={"from": from_, "to": to})


def get_dispatch() -> Call[models.Dispatch]:
    """How workers learn of work here, and whether three signals say that it is time for a broker."""
    return Call("GET", "/dispatch")


def get_draft(name: str | int, *, if_none_match: str | None = None) -> Call[models.Draft]:
    """The draft with its ETag; 304 if you have it already."""
    return Call("GET", path("/workflows/{name}/draft", name=name), headers={"If-None-Match": if_none_match})


def get_draft_changes(
    name: str | int, *, cursor: str | None = None, limit: int | None = None
) -> Call[models.DraftChangePage]:
    """Who changed what in the draft, newest first; the last 1,000 entries."""
    return Call(
        "GET", path("/workflows/{name}/draft/changes", name=name), query={"cursor": cursor, "limit": limit}
    )


def get_export(
    name: str | int,
    *,
    dialect: str | None = None,
    draft: bool | None = None,
    format: Literal["json", "yaml", "python"] | None = None,
    version: int | None = None,
) -> Call[dict[str, Any] | bytes]:
    """The definition of the latest version (the draft before the first), as import takes it, or as Python."""
    return Call(
        "GET",
        path("/workflows/{name}/export", name=name),
        query={"dialect": dialect, "draft": draft, "format": format, "version": version},
    )


def get_folder(folder_id: str | int) -> Call[models.Folder]:
    """The folder with what it grants."""
    return Call("GET", path("/folders/{folder_id}", folder_id=folder_id))


def get_folders(*, cursor: str | None = None, limit: int | None = None) -> Call[models.FolderPage]:
    """The tenant's folders, newest first."""
    return Call("GET", "/folders", query={"cursor": cursor, "limit": limit})


def get_group(group_id: str | int) -> Call[models.Group]:
    """The group with its members."""
    return Call("GET", path("/groups/{group_id}", group_id=group_id))


def get_group_impact(group_id: str | int, *, members: str | None = None) -> Call[models.Impact]:
    """The open tasks that nobody, or not enough, could decide if it had these `members`, or were deleted.
    Changes nothing.
    """
    return Call("GET", path("/groups/{group_id}/impact", group_id=group_id), query={"members": members})


def get_groups(*, cursor: str | None = None, limit: int | None = None) -> Call[models.GroupPage]:
    """The tenant's groups, newest first."""
    return Call("GET", "/groups", query={"cursor": cursor, "limit": limit})


def get_hand_over(username: str | int) -> Call[models.Left]:
    """What is with a member, or with somebody who was one, of the kinds that you may read."""
    return Call("GET", path("/members/{username}/hand-over", username=username))


def get_inbox_view(view_id: str | int) -> Call[models.InboxView]:
    """A saved view, and how many tasks it finds for you."""
    return Call("GET", path("/inbox-views/{view_id}", view_id=view_id))


def get_inbox_views(*, cursor: str | None = None, limit: int | None = None) -> Call[models.InboxViewPage]:
    """Your saved views and those shared with your groups, newest first, each with how many tasks it finds."""
    return Call("GET", "/inbox-views", query={"cursor": cursor, "limit": limit})


def get_me() -> Call[models.Me]:
    """You, with your time zone and language on pages."""
    return Call("GET", "/me")


def get_member(username: str | int) -> Call[models.Member]:
    """The member with their groups."""
    return Call("GET", path("/members/{username}", username=username))


def get_member_impact(
    username: str | int,
    *,
    groups: str | None = None,
    role: Literal["viewer", "author", "operator", "requester", "approver", "admin"] | None = None,
) -> Call[models.Impact]:
    """The open tasks that nobody, or not enough, could decide if they left, had this `role`, or were in
    these `groups` alone. Changes nothing.
    """
    return Call(
        "GET", path("/members/{username}/impact", username=username), query={"groups": groups, "role": role}
    )


def get_member_sessions(username: str | int) -> Call[models.Sessions]:
    """How many sessions they have, and when they were last active."""
    return Call("GET", path("/members/{username}/sessions", username=username))


def get_members(
    *, active: bool | None = None, cursor: str | None = None, limit: int | None = None, q: str | None = None
) -> Call[models.MemberPage]:
    """The tenant's members, newest first."""
    return Call("GET", "/members", query={"active": active, "cursor": cursor, "limit": limit, "q": q})


def get_notifications() -> Call[models.Notifications]:
    """Which tasks you get mail about, and at which address."""
    return Call("GET", "/me/notifications")


def get_outgoing_deliveries(
    outgoing_id: str | int, *, cursor: str | None = None, limit: int | None = None
) -> Call[models.OutgoingDeliveryPage]:
    """Its deliveries of the last 14 days, newest first."""
    return Call(
        "GET",
        path("/webhooks/out/{outgoing_id}/deliveries", outgoing_id=outgoing_id),
        query={"cursor": cursor, "limit": limit},
    )


def get_outgoing_webhook(outgoing_id: str | int) -> Call[models.Outgoing]:
    """The webhook, and its state."""
    return Call("GET", path("/webhooks/out/{outgoing_id}", outgoing_id=outgoing_id))


def get_outgoing_webhooks(
    *, cursor: str | None = None, limit: int | None = None
) -> Call[models.OutgoingPage]:
    """Outgoing webhooks of the workflows that you may edit, newest first; admins see all."""
    return Call("GET", "/webhooks/out", query={"cursor": cursor, "limit": limit})


def get_queues() -> Call[models.Queues]:
    """The queues of workflows that you may read, with steps and workers; those that nobody serves come
    first.
    """
    return Call("GET", "/queues")


def get_readers(name: str | int, *, q: str | None = None) -> Call[models.Readers]:
    """The first members, except you, who may read the workflow: a comment may mention them."""
    return Call("GET", path("/workflows/{name}/readers", name=name), query={"q": q})


def get_request(request_id: str | int) -> Call[models.WholeRequest]:
    """What you asked and what happened, step by step; 404 for requests of others, for admins too."""
    return Call("GET", path("/requests/{request_id}", request_id=request_id))


def get_requests(
    *, cursor: str | None = None, limit: int | None = None, show: Literal["open", "done", "all"] | None = None
) -> Call[models.RequestPage]:
    """The runs that you asked for yourself, newest first: who has each now, and until when."""
    return Call("GET", "/requests", query={"cursor": cursor, "limit": limit, "show": show})


def get_run(run_id: str | int) -> Call[models.Run]:
    """The run with its steps: one for each node, those without a row yet too; large payloads are left out."""
    return Call("GET", path("/runs/{run_id}", run_id=run_id))


def get_run_children(
    run_id: str | int,
    *,
    cursor: str | None = None,
    limit: int | None = None,
    status: Literal[
        "RUNNING",
        "PAUSED",
        "COMPLETED",
        "CONTINUED",
        "FAILING",
        "CANCELLING",
        "FAILED",
        "CANCELLED",
        "COMPENSATING",
        "COMPENSATED",
        "WAITING_FOR_MANUAL_ACTION",
    ]
    | None = None,
) -> Call[models.RunPage]:
    """The runs that steps of a run started, oldest first; with `status` only those."""
    return Call(
        "GET",
        path("/runs/{run_id}/children", run_id=run_id),
        query={"cursor": cursor, "limit": limit, "status": status},
    )


def get_run_compare(run_id: str | int, other_id: str | int) -> Call[models.Comparison]:
    """The path of each run, how long its steps took, their inputs and outputs, and where the two first
    differ, in the order in which their steps depend on each other. The run that the address names first
    is the left one.
    """
    return Call("GET", path("/runs/{run_id}/compare/{other_id}", run_id=run_id, other_id=other_id))


def get_run_evidence(
    run_id: str | int, *, format: Literal["json", "html", "pdf", "zip"] | None = None
) -> Call[bytes]:
    """What people were asked and decided in the run, with its proof; needs `runs:read` too."""
    return Call("GET", path("/runs/{run_id}/evidence", run_id=run_id), query={"format": format}, is_raw=True)


def get_run_history(
    run_id: str | int,
    *,
    cursor: str | None = None,
    limit: int | None = None,
    order: Literal["desc", "asc"] | None = None,
) -> Call[models.EventPage]:
    """What happened, newest first unless `order=asc`."""
    return Call(
        "GET",
        path("/runs/{run_id}/history", run_id=run_id),
        query={"cursor": cursor, "limit": limit, "order": order},
    )


def get_run_items(
    run_id: str | int,
    *,
    after: int | None = None,
    limit: int | None = None,
    node: str | None = None,
    status: Literal["PENDING", "QUEUED", "RUNNING", "WAITING", "COMPLETED", "FAILED", "SKIPPED", "CANCELLED"]
    | None = None,
) -> Call[models.ItemPage]:
    """The items of a map, or the rounds of a loop, that have begun, in their order; with `status` those
    that stand there. `counts` are of all of them.
    """
    return Call(
        "GET",
        path("/runs/{run_id}/items", run_id=run_id),
        query={"after": after, "limit": limit, "node": node, "status": status},
    )


def get_run_search(view_id: str | int) -> Call[models.RunSearch]:
    """A saved search."""
    return Call("GET", path("/run-searches/{view_id}", view_id=view_id))


def get_run_searches(*, cursor: str | None = None, limit: int | None = None) -> Call[models.RunSearchPage]:
    """Your saved searches in the list of runs and those shared with your groups, newest first."""
    return Call("GET", "/run-searches", query={"cursor": cursor, "limit": limit})


def get_run_steps(run_id: str | int, *, node: str | None = None) -> Call[models.StepPage]:
    """The steps in the order of the graph, on one page; with `node` payloads are complete. `items` counts
    those of a map or loop, which `GET /runs/{run_id}/items` lists.
    """
    return Call("GET", path("/runs/{run_id}/steps", run_id=run_id), query={"node": node})


def get_runs(
    *,
    business_key: str | None = None,
    by: str | None = None,
    created_after: str | None = None,
    created_before: str | None = None,
    cursor: str | None = None,
    limit: int | None = None,
    order: Literal["newest", "oldest", "due", "waiting", "likely", "risk"] | None = None,
    q: str | None = None,
    query: str | None = None,
    status: Literal[
        "PENDING",
        "WAITING",
        "RUNNING",
        "PAUSED",
        "COMPLETED",
        "CONTINUED",
        "FAILING",
        "CANCELLING",
        "FAILED",
        "CANCELLED",
        "COMPENSATING",
        "COMPENSATED",
        "WAITING_FOR_MANUAL_ACTION",
        "WAITING_FOR_PEOPLE",
        "UNRESOLVED",
        "STUCK",
    ]
    | None = None,
    test: bool | None = None,
    workflow: str | None = None,
) -> Call[models.RunPage]:
    """The matching runs, newest first unless `order` says otherwise; payloads over 4 KiB are left out.
    With `q` those that are found by their key or id come first; a page that stops searching inputs
    before it is full, even empty, leads on by `next`, and `searched` says how far it went.
    """
    return Call(
        "GET",
        "/runs",
        query={
            "business_key": business_key,
            "by": by,
            "created_after": created_after,
            "created_before": created_before,
            "cursor": cursor,
            "limit": limit,
            "order": order,
            "q": q,
            "query": query,
            "status": status,
            "test": test,
            "workflow": workflow,
        },
    )


def get_schedule(schedule: str | int) -> Call[models.Schedule]:
    """The schedule, and what it did last."""
    return Call("GET", path("/schedules/{schedule}", schedule=schedule))


def get_schedule_history(
    schedule: str | int, *, cursor: str | None = None, limit: int | None = None
) -> Call[models.DueTimePage]:
    """What was started, and what was skipped and why, newest first; of the last 90 days."""
    return Call(
        "GET",
        path("/schedules/{schedule}/history", schedule=schedule),
        query={"cursor": cursor, "limit": limit},
    )


def get_schedule_next(schedule: str | int, *, count: int | None = None) -> Call[models.Next]:
    """The next times at which it is due, or would be if it were on; without jitter."""
    return Call("GET", path("/schedules/{schedule}/next", schedule=schedule), query={"count": count})


def get_schedules(
    *, cursor: str | None = None, limit: int | None = None, workflow: str | None = None
) -> Call[models.SchedulePage]:
    """The schedules of workflows that you may read, by name."""
    return Call("GET", "/schedules", query={"cursor": cursor, "limit": limit, "workflow": workflow})


def get_step_logs(
    run_id: str | int,
    node: str | int,
    *,
    attempt: int | None = None,
    cursor: str | None = None,
    index: int | None = None,
    limit: int | None = None,
) -> Call[models.LogLinePage]:
    """What the attempts at a step have logged, oldest first."""
    return Call(
        "GET",
        path("/runs/{run_id}/steps/{node}/logs", run_id=run_id, node=node),
        query={"attempt": attempt, "cursor": cursor, "index": index, "limit": limit},
    )


def get_step_types() -> Call[models.StepTypes]:
    """The step types, with the schemas of params, input and output."""
    return Call("GET", "/step-types")


def get_task(task_id: str | int) -> Call[models.Task]:
    """The task with its facts, form and decision."""
    return Call("GET", path("/tasks/{task_id}", task_id=task_id))


def get_task_comments(
    task_id: str | int, *, cursor: str | None = None, limit: int | None = None
) -> Call[models.CommentPage]:
    """The comments on the task, oldest first."""
    return Call(
        "GET", path("/tasks/{task_id}/comments", task_id=task_id), query={"cursor": cursor, "limit": limit}
    )


def get_task_counts() -> Call[models.Counts]:
    """How many tasks there are in each of your views, counted up to 100."""
    return Call("GET", "/tasks/counts")


def get_task_draft(task_id: str | int) -> Call[models.TaskDraft]:
    """What you have typed to decide the task; nobody else ever sees it. 404 if there is none."""
    return Call("GET", path("/tasks/{task_id}/draft", task_id=task_id))


def get_task_file(
    task_id: str | int, file_id: str | int, *, show: Literal["yes"] | None = None
) -> Call[bytes]:
    """The file, as a download; an image or a PDF also inline."""
    return Call(
        "GET",
        path("/tasks/{task_id}/files/{file_id}", task_id=task_id, file_id=file_id),
        query={"show": show},
        is_raw=True,
    )


def get_task_files(
    task_id: str | int, *, cursor: str | None = None, limit: int | None = None
) -> Call[models.TaskFilePage]:
    """The files of the task, oldest first."""
    return Call(
        "GET", path("/tasks/{task_id}/files", task_id=task_id), query={"cursor": cursor, "limit": limit}
    )


def get_tasks(
    *,
    assignee: str | None = None,
    cursor: str | None = None,
    due_before: str | None = None,
    filter: str | None = None,
    limit: int | None = None,
    q: str | None = None,
    run: str | None = None,
    sort: str | None = None,
    view: Literal["mine", "teams", "due", "snoozed", "delegated", "done", "watching", "undecidable", "open"]
    | None = None,
    workflow: str | None = None,
) -> Call[models.TaskSummaryPage]:
    """The matching tasks, without the fields that only a single task has."""
    return Call(
        "GET",
        "/tasks",
        query={
            "assignee": assignee,
            "cursor": cursor,
            "due_before": due_before,
            "filter": filter,
            "limit": limit,
            "q": q,
            "run": run,
            "sort": sort,
            "view": view,
            "workflow": workflow,
        },
    )


def get_telemetry_step_types(
    *,
    by: Literal["type", "node"] | None = None,
    from_: str | None = None,
    to: str | None = None,
    version: int | None = None,
    workflow: str | None = None,
) -> Call[models.StepTelemetry]:
    """How long steps took and how often they failed in a period; what took longest comes first, 200 at
    most.
    """
    return Call(
        "GET",
        "/telemetry/step-types",
        query={"by": by, "from": from_, "to": to, "version": version, "workflow": workflow},
    )


def get_telemetry_summary(
    *, from_: str | None = None, to: str | None = None, workflow: str | None = None
) -> Call[models.TelemetrySummary]:
    """How runs ended in a period, how long they took, and how often somebody had to step in."""
    return Call("GET", "/telemetry/summary", query={"from": from_, "to": to, "workflow": workflow})


def get_timers(
    *,
    cursor: str | None = None,
    due: Literal["overdue", "hour", "day"] | None = None,
    limit: int | None = None,
) -> Call[models.TimerPage]:
    """The timers that have not fired, the next first."""
    return Call("GET", "/timers", query={"cursor": cursor, "due": due, "limit": limit})


def get_token(token_id: str | int) -> Call[models.Token]:
    """The token, a revoked one, too; never its text."""
    return Call("GET", path("/tokens/{token_id}", token_id=token_id))


def get_tokens(
    *,
    cursor: str | None = None,
    limit: int | None = None,
    revoked: bool | None = None,
    user: str | None = None,
) -> Call[models.TokenPage]:
    """Your tokens, with `tokens:manage` all of the tenant, newest first."""
    return Call("GET", "/tokens", query={"cursor": cursor, "limit": limit, "revoked": revoked, "user": user})


def get_version(name: str | int, number: str | int) -> Call[models.Version]:
    """A published version with its definition."""
    return Call("GET", path("/workflows/{name}/versions/{number}", name=name, number=number))


def get_versions(
    name: str | int, *, cursor: str | None = None, limit: int | None = None
) -> Call[models.ListedVersionPage]:
    """The published versions, newest first."""
    return Call(
        "GET", path("/workflows/{name}/versions", name=name), query={"cursor": cursor, "limit": limit}
    )


def get_webhook(webhook_id: str | int) -> Call[models.Webhook]:
    """The webhook."""
    return Call("GET", path("/webhooks/{webhook_id}", webhook_id=webhook_id))


def get_webhook_deliveries(webhook_id: str | int) -> Call[models.Deliveries]:
    """What its last messages did, for runs that you may read, and why others were refused; newest first."""
    return Call("GET", path("/webhooks/{webhook_id}/deliveries", webhook_id=webhook_id))


def get_webhooks(*, cursor: str | None = None, limit: int | None = None) -> Call[models.WebhookPage]:
    """The tenant's webhooks, newest first."""
    return Call("GET", "/webhooks", query={"cursor": cursor, "limit": limit})


def get_workers(*, cursor: str | None = None, limit: int | None = None) -> Call[models.WorkerPage]:
    """The workers of yours that polled for jobs in the last day, by id."""
    return Call("GET", "/workers", query={"cursor": cursor, "limit": limit})


def get_workflow(name: str | int) -> Call[models.Workflow]:
    """The workflow."""
    return Call("GET", path("/workflows/{name}", name=name))


def get_workflows(
    *, archived: bool | None = None, cursor: str | None = None, limit: int | None = None, q: str | None = None
) -> Call[models.WorkflowPage]:
    """The workflows, newest first."""
    return Call("GET", "/workflows", query={"archived": archived, "cursor": cursor, "limit": limit, "q": q})


def patch_alert_channel(
    alert_channel_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
    address: str | LeftOut = LEFT_OUT,
    enabled: bool | LeftOut = LEFT_OUT,
) -> Call[models.AlertChannel]:
    """Changes the given fields; while it is off nothing is sent to it."""
    return Call(
        "PATCH",
        path("/alert-channels/{alert_channel_id}", alert_channel_id=alert_channel_id),
        body=given({"reason": reason, "name": name, "address": address, "enabled": enabled}),
    )


def patch_alert_rule(
    alert_rule_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
    params: dict[str, Any] | LeftOut = LEFT_OUT,
    severity: models.AlertSeverity | LeftOut = LEFT_OUT,
    cooldown_seconds: int | LeftOut = LEFT_OUT,
    enabled: bool | LeftOut = LEFT_OUT,
    channels: list[int] | LeftOut = LEFT_OUT,
    escalate_minutes: int | LeftOut | None = LEFT_OUT,
    escalate_channels: list[int] | LeftOut = LEFT_OUT,
    mute_seconds: int | LeftOut = LEFT_OUT,
) -> Call[models.AlertRule]:
    """Changes the given fields, and the given ones of `params`. Switching a rule off resolves its open
    alerts.
    """
    return Call(
        "PATCH",
        path("/alert-rules/{alert_rule_id}", alert_rule_id=alert_rule_id),
        body=given(
            {
                "reason": reason,
                "name": name,
                "params": params,
                "severity": severity,
                "cooldown_seconds": cooldown_seconds,
                "enabled": enabled,
                "channels": channels,
                "escalate_minutes": escalate_minutes,
                "escalate_channels": escalate_channels,
                "mute_seconds": mute_seconds,
            }
        ),
    )


def patch_calendar(
    calendar: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    timezone: str | LeftOut = LEFT_OUT,
    region: str | LeftOut = LEFT_OUT,
    weekdays: list[int] | LeftOut = LEFT_OUT,
    hours: models.HoursFieldRequest | LeftOut = LEFT_OUT,
    exceptions: list[models.ExceptionFieldRequest] | LeftOut = LEFT_OUT,
    folder: str | LeftOut | None = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
) -> Call[models.Calendar]:
    """Changes the given fields; schedules that use it follow the change from now on."""
    return Call(
        "PATCH",
        path("/calendars/{calendar}", calendar=calendar),
        body=given(
            {
                "reason": reason,
                "timezone": timezone,
                "region": region,
                "weekdays": weekdays,
                "hours": hours,
                "exceptions": exceptions,
                "folder": folder,
                "name": name,
            }
        ),
    )


def patch_case(
    the_name: str | int,
    case_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    stubs: dict[str, models.StubFieldsRequest] | LeftOut = LEFT_OUT,
    expect: models.ExpectFieldsRequest | LeftOut = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
    input: Any | LeftOut = LEFT_OUT,
    revision: int | LeftOut = LEFT_OUT,
) -> Call[models.Case]:
    """Changes the given fields; 412 if it is no longer at `revision`."""
    return Call(
        "PATCH",
        path("/workflows/{name}/test-cases/{case_id}", name=the_name, case_id=case_id),
        body=given(
            {
                "reason": reason,
                "stubs": stubs,
                "expect": expect,
                "name": name,
                "input": input,
                "revision": revision,
            }
        ),
    )


def patch_draft(
    name: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    revision: int | LeftOut = LEFT_OUT,
    groups: list[models.GroupOfChangesRequest] | LeftOut = LEFT_OUT,
) -> Call[models.ChangedDraft]:
    """Applies the groups of changes that fit to the draft as it is now, each whole or not at all."""
    return Call(
        "PATCH",
        path("/workflows/{name}/draft", name=name),
        body=given({"reason": reason, "revision": revision, "groups": groups}),
    )


def patch_folder(
    folder_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
    grants: list[models.GrantRequest] | LeftOut = LEFT_OUT,
) -> Call[models.Folder]:
    """Changes its name, or replaces its grants."""
    return Call(
        "PATCH",
        path("/folders/{folder_id}", folder_id=folder_id),
        body=given({"reason": reason, "name": name, "grants": grants}),
    )


def patch_group(
    group_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
    members: list[str] | LeftOut = LEFT_OUT,
) -> Call[models.Group]:
    """Changes its name, or replaces its members."""
    return Call(
        "PATCH",
        path("/groups/{group_id}", group_id=group_id),
        body=given({"reason": reason, "name": name, "members": members}),
    )


def patch_inbox_view(
    view_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
    view: models.ViewEnum | LeftOut = LEFT_OUT,
    filter: str | LeftOut = LEFT_OUT,
    sort: str | LeftOut = LEFT_OUT,
    group: str | LeftOut = LEFT_OUT,
) -> Call[models.InboxView]:
    """Changes your view: its name, its search, or with whom it is shared."""
    return Call(
        "PATCH",
        path("/inbox-views/{view_id}", view_id=view_id),
        body=given(
            {"reason": reason, "name": name, "view": view, "filter": filter, "sort": sort, "group": group}
        ),
    )


def patch_me(
    *,
    reason: str | LeftOut = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
    time_zone: str | LeftOut = LEFT_OUT,
    locale: models.LocaleEnum | models.BlankEnum | LeftOut = LEFT_OUT,
    density: models.DensityEnum | LeftOut = LEFT_OUT,
) -> Call[models.Me]:
    """Changes the given fields, only for yourself."""
    return Call(
        "PATCH",
        "/me",
        body=given(
            {"reason": reason, "name": name, "time_zone": time_zone, "locale": locale, "density": density}
        ),
    )


def patch_member(
    username: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    role: models.MemberRole | LeftOut = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
    email: str | LeftOut = LEFT_OUT,
    manager: str | LeftOut = LEFT_OUT,
    active: bool | LeftOut = LEFT_OUT,
) -> Call[models.Member]:
    """Changes their role, manager, name or e-mail, or whether they may log in; 409 for the last admin."""
    return Call(
        "PATCH",
        path("/members/{username}", username=username),
        body=given(
            {
                "reason": reason,
                "role": role,
                "name": name,
                "email": email,
                "manager": manager,
                "active": active,
            }
        ),
    )


def patch_notifications(
    *,
    reason: str | LeftOut = LEFT_OUT,
    mail: models.MailChoice | LeftOut = LEFT_OUT,
    email: str | LeftOut = LEFT_OUT,
    digest_hour: int | LeftOut | None = LEFT_OUT,
) -> Call[models.Notifications]:
    """Changes the given fields, only for yourself."""
    return Call(
        "PATCH",
        "/me/notifications",
        body=given({"reason": reason, "mail": mail, "email": email, "digest_hour": digest_hour}),
    )


def patch_outgoing_webhook(
    outgoing_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    url: str | LeftOut = LEFT_OUT,
    description: str | LeftOut = LEFT_OUT,
    events: list[
        Literal[
            "run.started",
            "run.paused",
            "run.resumed",
            "run.failing",
            "run.cancelling",
            "run.compensating",
            "run.waiting_for_manual_action",
            "run.completed",
            "run.continued",
            "run.failed",
            "run.cancelled",
            "run.compensated",
            "run.reopened",
            "run.migrated",
            "run.sla_warning",
            "run.sla_breached",
            "step.completed",
            "step.failed",
            "step.skipped",
            "step.cancelled",
            "step.waiting",
            "step.attempt_failed",
            "task.opened",
            "task.decided",
            "task.voted",
            "task.delegated",
            "task.returned",
            "task.resubmitted",
            "task.asked",
            "task.answered",
            "task.reminded",
            "task.escalated",
        ]
    ]
    | LeftOut
    | None = LEFT_OUT,
    enabled: bool | LeftOut = LEFT_OUT,
) -> Call[models.Outgoing]:
    """Changes the given fields; with `enabled: false` nothing is sent, and what waits goes on waiting."""
    return Call(
        "PATCH",
        path("/webhooks/out/{outgoing_id}", outgoing_id=outgoing_id),
        body=given(
            {"reason": reason, "url": url, "description": description, "events": events, "enabled": enabled}
        ),
    )


def patch_run_search(
    view_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
    query: str | LeftOut = LEFT_OUT,
    group: str | LeftOut = LEFT_OUT,
) -> Call[models.RunSearch]:
    """Changes your search: its name, its query, or with whom it is shared."""
    return Call(
        "PATCH",
        path("/run-searches/{view_id}", view_id=view_id),
        body=given({"reason": reason, "name": name, "query": query, "group": group}),
    )


def patch_schedule(
    schedule: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    cron: str | LeftOut | None = LEFT_OUT,
    every_seconds: int | LeftOut | None = LEFT_OUT,
    at: str | LeftOut | None = LEFT_OUT,
    timezone: str | LeftOut = LEFT_OUT,
    overlap: models.OverlapEnum | LeftOut = LEFT_OUT,
    catchup_seconds: int | LeftOut = LEFT_OUT,
    jitter_seconds: int | LeftOut = LEFT_OUT,
    calendar: str | LeftOut | None = LEFT_OUT,
    enabled: bool | LeftOut = LEFT_OUT,
    note: str | LeftOut = LEFT_OUT,
    input: Any | LeftOut = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
    workflow: str | LeftOut = LEFT_OUT,
) -> Call[models.Schedule]:
    """Changes what is given; `enabled: false` pauses it, with a `note` if you like."""
    return Call(
        "PATCH",
        path("/schedules/{schedule}", schedule=schedule),
        body=given(
            {
                "reason": reason,
                "cron": cron,
                "every_seconds": every_seconds,
                "at": at,
                "timezone": timezone,
                "overlap": overlap,
                "catchup_seconds": catchup_seconds,
                "jitter_seconds": jitter_seconds,
                "calendar": calendar,
                "enabled": enabled,
                "note": note,
                "input": input,
                "name": name,
                "workflow": workflow,
            }
        ),
    )


def patch_token(
    token_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    queues: list[str] | LeftOut = LEFT_OUT,
    folders: list[str] | LeftOut = LEFT_OUT,
) -> Call[models.Token]:
    """Limits it to other queues and folders, never to more than you may reach yourself."""
    return Call(
        "PATCH",
        path("/tokens/{token_id}", token_id=token_id),
        body=given({"reason": reason, "queues": queues, "folders": folders}),
    )


def patch_webhook(
    webhook_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
    mapping: dict[str, Any] | LeftOut = LEFT_OUT,
    allow_unsigned: bool | LeftOut = LEFT_OUT,
    enabled: bool | LeftOut = LEFT_OUT,
) -> Call[models.Webhook]:
    """Changes the given fields; with `enabled: false` its messages are answered with 410."""
    return Call(
        "PATCH",
        path("/webhooks/{webhook_id}", webhook_id=webhook_id),
        body=given(
            {
                "reason": reason,
                "name": name,
                "mapping": mapping,
                "allow_unsigned": allow_unsigned,
                "enabled": enabled,
            }
        ),
    )


def patch_workflow(
    name: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    title: str | LeftOut = LEFT_OUT,
    description: str | LeftOut = LEFT_OUT,
    archived: bool | LeftOut = LEFT_OUT,
    folder: str | LeftOut = LEFT_OUT,
) -> Call[models.Workflow]:
    """Changes title or description; `archived: false` brings an archived one back."""
    return Call(
        "PATCH",
        path("/workflows/{name}", name=name),
        body=given(
            {
                "reason": reason,
                "title": title,
                "description": description,
                "archived": archived,
                "folder": folder,
            }
        ),
    )


def post_alert_acknowledge(
    alert_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    note: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Alert]:
    """Says that you are working on it: nobody else is called. 409 if it is not open."""
    return Call(
        "POST",
        path("/alerts/{alert_id}/acknowledge", alert_id=alert_id),
        body=given({"reason": reason, "note": note}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_alert_channel_test(
    alert_channel_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.AlertDelivery]:
    """Sends one test message, like an alert; `last_message` of the channel has the result."""
    return Call(
        "POST",
        path("/alert-channels/{alert_channel_id}/test", alert_channel_id=alert_channel_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_alert_channels(
    *,
    name: str,
    kind: models.AlertChannelKind,
    address: str,
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.AlertChannel]:
    """A new channel; nothing is sent to it until a rule names it."""
    return Call(
        "POST",
        "/alert-channels",
        body=given({"name": name, "kind": kind, "address": address, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_alert_mute(
    alert_id: str | int, *, seconds: int, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Alert]:
    """Mutes it: nobody is notified or called for so many seconds. 409 if it is resolved."""
    return Call(
        "POST",
        path("/alerts/{alert_id}/mute", alert_id=alert_id),
        body=given({"seconds": seconds, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_alert_resolve(
    alert_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Alert]:
    """Resolves it; it also resolves by itself when its condition has ended. 409 if it is already resolved."""
    return Call(
        "POST",
        path("/alerts/{alert_id}/resolve", alert_id=alert_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_alert_rules(
    *,
    name: str,
    kind: models.AlertRuleKind,
    reason: str | LeftOut = LEFT_OUT,
    params: dict[str, Any] | LeftOut = LEFT_OUT,
    severity: models.AlertSeverity | LeftOut = LEFT_OUT,
    cooldown_seconds: int | LeftOut = LEFT_OUT,
    enabled: bool | LeftOut = LEFT_OUT,
    channels: list[int] | LeftOut = LEFT_OUT,
    escalate_minutes: int | LeftOut | None = LEFT_OUT,
    escalate_channels: list[int] | LeftOut = LEFT_OUT,
    mute_seconds: int | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.AlertRule]:
    """A new rule beside the built-in ones, such as one for a single queue or workflow."""
    return Call(
        "POST",
        "/alert-rules",
        body=given(
            {
                "name": name,
                "kind": kind,
                "reason": reason,
                "params": params,
                "severity": severity,
                "cooldown_seconds": cooldown_seconds,
                "enabled": enabled,
                "channels": channels,
                "escalate_minutes": escalate_minutes,
                "escalate_channels": escalate_channels,
                "mute_seconds": mute_seconds,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_away_rules(
    *,
    substitute: str,
    until: str,
    from_: str,
    reason: str | LeftOut = LEFT_OUT,
    username: str | LeftOut = LEFT_OUT,
    workflows: list[str] | LeftOut = LEFT_OUT,
    note: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Away]:
    """Says who is away and who stands in: 201; for others with `members:manage`; 409 if rules overlap."""
    return Call(
        "POST",
        "/away",
        body=given(
            {
                "substitute": substitute,
                "until": until,
                "from": from_,
                "reason": reason,
                "username": username,
                "workflows": workflows,
                "note": note,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_broadcast(
    *,
    name: str,
    signal_id: str,
    payload: Any | LeftOut = LEFT_OUT,
    reason: str | LeftOut = LEFT_OUT,
    workflow: str | LeftOut = LEFT_OUT,
    business_key: str | LeftOut = LEFT_OUT,
    input: dict[str, Any] | LeftOut = LEFT_OUT,
    after: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Broadcast]:
    """Sends a signal to every open run of a workflow, with a business key, or whose input has these
    values; up to 1,000 in one call, the oldest first. Sent again with the same `signal_id` it reaches
    no run twice.
    """
    return Call(
        "POST",
        "/signals/broadcast",
        body=given(
            {
                "name": name,
                "signal_id": signal_id,
                "payload": payload,
                "reason": reason,
                "workflow": workflow,
                "business_key": business_key,
                "input": input,
                "after": after,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_bulk_job_cancel(
    bulk_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.CountedBulkJob]:
    """Stops the job early: the remaining runs stay as they are; 409 `not_open` if it has ended."""
    return Call(
        "POST",
        path("/bulk-jobs/{bulk_id}/cancel", bulk_id=bulk_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_bulk_jobs(
    *,
    verb: models.VerbEnum,
    query: str,
    reason: str | LeftOut = LEFT_OUT,
    compensate: bool | LeftOut = LEFT_OUT,
    version: int | LeftOut = LEFT_OUT,
    assignee: str | LeftOut = LEFT_OUT,
    group: str | LeftOut = LEFT_OUT,
    dry_run: bool | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.BulkJob]:
    """Does `verb` to all runs that `query` finds, that you may operate and that allow it, each by itself,
    in the background: 202 a bulk job. With `dry_run` the job only finds out what would happen to each.
    """
    return Call(
        "POST",
        "/bulk-jobs",
        body=given(
            {
                "verb": verb,
                "query": query,
                "reason": reason,
                "compensate": compensate,
                "version": version,
                "assignee": assignee,
                "group": group,
                "dry_run": dry_run,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_calendar_preview(
    calendar: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    timezone: str | LeftOut = LEFT_OUT,
    region: str | LeftOut = LEFT_OUT,
    weekdays: list[int] | LeftOut = LEFT_OUT,
    hours: models.HoursFieldRequest | LeftOut = LEFT_OUT,
    exceptions: list[models.ExceptionFieldRequest] | LeftOut = LEFT_OUT,
    folder: str | LeftOut | None = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Uses]:
    """Who uses it, and when schedules would be due with these values; nothing is changed."""
    return Call(
        "POST",
        path("/calendars/{calendar}/preview", calendar=calendar),
        body=given(
            {
                "reason": reason,
                "timezone": timezone,
                "region": region,
                "weekdays": weekdays,
                "hours": hours,
                "exceptions": exceptions,
                "folder": folder,
                "name": name,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_calendars(
    *,
    name: str,
    reason: str | LeftOut = LEFT_OUT,
    timezone: str | LeftOut = LEFT_OUT,
    region: str | LeftOut = LEFT_OUT,
    weekdays: list[int] | LeftOut = LEFT_OUT,
    hours: models.HoursFieldRequest | LeftOut = LEFT_OUT,
    exceptions: list[models.ExceptionFieldRequest] | LeftOut = LEFT_OUT,
    folder: str | LeftOut | None = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Calendar]:
    """A new calendar."""
    return Call(
        "POST",
        "/calendars",
        body=given(
            {
                "name": name,
                "reason": reason,
                "timezone": timezone,
                "region": region,
                "weekdays": weekdays,
                "hours": hours,
                "exceptions": exceptions,
                "folder": folder,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_cases(
    the_name: str | int,
    *,
    name: str,
    input: Any,
    reason: str | LeftOut = LEFT_OUT,
    stubs: dict[str, models.StubFieldsRequest] | LeftOut = LEFT_OUT,
    expect: models.ExpectFieldsRequest | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Case]:
    """Makes a test case; 409 if its name is taken."""
    return Call(
        "POST",
        path("/workflows/{name}/test-cases", name=the_name),
        body=given({"name": name, "input": input, "reason": reason, "stubs": stubs, "expect": expect}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_comments(
    name: str | int,
    *,
    step: str,
    text: str,
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.StepComment]:
    """Comments on a step, in its open thread or a new one; people it mentions are mailed."""
    return Call(
        "POST",
        path("/workflows/{name}/comments", name=name),
        body=given({"step": step, "text": text, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_dead_letter_discard(
    letter_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.DeadLetter]:
    """Says that somebody has dealt with it; its run stays as it is, and can still be resumed. If the step
    waits for an operator (`on_error: ask`), this fails the run.
    """
    return Call(
        "POST",
        path("/dead-letters/{letter_id}/discard", letter_id=letter_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_dead_letter_redrive(
    letter_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.DeadLetter]:
    """Lets its run go on: the failed step runs again; 409 if it can't."""
    return Call(
        "POST",
        path("/dead-letters/{letter_id}/redrive", letter_id=letter_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_dead_letters_redrive(
    *,
    reason: str | LeftOut = LEFT_OUT,
    ids: list[str] | LeftOut = LEFT_OUT,
    filter: models.LetterFilterRequest | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Redriven]:
    """Redrives many: those named by `ids`, or the open ones that match `filter`, at most 1,000. `left`
    says how many more match: call again.
    """
    return Call(
        "POST",
        "/dead-letters/redrive",
        body=given({"reason": reason, "ids": ids, "filter": filter}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_deciders(
    name: str | int, *, params: dict[str, Any], reason: str | LeftOut = LEFT_OUT
) -> Call[models.Foretold]:
    """Who may decide a step of this workflow with these params, in words; nothing is saved."""
    return Call(
        "POST",
        path("/workflows/{name}/deciders", name=name),
        body=given({"params": params, "reason": reason}),
        repeatable=True,
    )


def post_dispatch_retry(
    *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.DispatchRetried]:
    """Has events tried again that the broker would not take and that were set aside, of jobs that wait, in
    runs that you may operate; up to 10,000.
    """
    return Call(
        "POST",
        "/dispatch/retry",
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_evaluate(
    name: str | int,
    *,
    definition: dict[str, Any],
    place: models.PlaceEnum,
    text: Any,
    node: str | LeftOut = LEFT_OUT,
    edge: models.EndsRequest | LeftOut = LEFT_OUT,
    pins: dict[str, Any] | LeftOut = LEFT_OUT,
    keys: list[str | int] | LeftOut = LEFT_OUT,
    input: Any | LeftOut = LEFT_OUT,
) -> Call[models.Shown]:
    """What a value with expressions, or a condition, gives with the last run's values, or its error."""
    return Call(
        "POST",
        path("/workflows/{name}/evaluate", name=name),
        body=given(
            {
                "definition": definition,
                "place": place,
                "text": text,
                "node": node,
                "edge": edge,
                "pins": pins,
                "keys": keys,
                "input": input,
            }
        ),
        repeatable=True,
    )


def post_folders(
    *,
    name: str,
    reason: str | LeftOut = LEFT_OUT,
    grants: list[models.GrantRequest] | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Folder]:
    """Makes a folder: 201; 409 if there is one of this name."""
    return Call(
        "POST",
        "/folders",
        body=given({"name": name, "reason": reason, "grants": grants}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_groups(
    *,
    name: str,
    reason: str | LeftOut = LEFT_OUT,
    members: list[str] | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Group]:
    """Makes a group: 201; 409 if there is one of this name."""
    return Call(
        "POST",
        "/groups",
        body=given({"name": name, "reason": reason, "members": members}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_hand_over(
    username: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    items: list[models.HandOverChoiceRequest] | LeftOut = LEFT_OUT,
    to: str | LeftOut = LEFT_OUT,
    end: models.LeaverEnd | LeftOut = LEFT_OUT,
) -> Call[models.HandedOver]:
    """Hands over, gives back, stops, revokes or ends what is with a member, each by itself: 200 with a
    result for each.
    """
    return Call(
        "POST",
        path("/members/{username}/hand-over", username=username),
        body=given({"reason": reason, "items": items, "to": to, "end": end}),
        repeatable=True,
    )


def post_import(
    *,
    document: dict[str, Any] | str,
    reason: str | LeftOut = LEFT_OUT,
    dialect: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.DraftedWorkflow]:
    """Imports a document in any dialect as the draft of the workflow that it names; 201 if that is new."""
    return Call(
        "POST",
        "/workflows/import",
        body=given({"document": document, "reason": reason, "dialect": dialect}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_inbox_views(
    *,
    name: str,
    reason: str | LeftOut = LEFT_OUT,
    view: models.ViewEnum | LeftOut = LEFT_OUT,
    filter: str | LeftOut = LEFT_OUT,
    sort: str | LeftOut = LEFT_OUT,
    group: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.InboxView]:
    """Saves a search under a name: 201; 409 `name_taken` if you already have one of that name."""
    return Call(
        "POST",
        "/inbox-views",
        body=given(
            {"name": name, "reason": reason, "view": view, "filter": filter, "sort": sort, "group": group}
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_job_complete(
    job_id: str | int,
    *,
    lease_token: str,
    output: Any,
    reason: str | LeftOut = LEFT_OUT,
    variables: dict[str, Any] | LeftOut = LEFT_OUT,
    log: list[models.LogLineBodyRequest] | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.JobAnswer]:
    """The job is done; after its lease has ended, it still counts unless another worker got the step."""
    return Call(
        "POST",
        path("/jobs/{job_id}/complete", job_id=job_id),
        body=given(
            {
                "lease_token": lease_token,
                "output": output,
                "reason": reason,
                "variables": variables,
                "log": log,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        repeatable=True,
    )


def post_job_fail(
    job_id: str | int,
    *,
    lease_token: str,
    error: models.JobErrorRequest,
    retryable: bool,
    reason: str | LeftOut = LEFT_OUT,
    log: list[models.LogLineBodyRequest] | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.JobAnswer]:
    """The attempt failed; `retryable` ones are retried as the node's retry policy says."""
    return Call(
        "POST",
        path("/jobs/{job_id}/fail", job_id=job_id),
        body=given(
            {"lease_token": lease_token, "error": error, "retryable": retryable, "reason": reason, "log": log}
        ),
        headers={"Idempotency-Key": idempotency_key},
        repeatable=True,
    )


def post_job_heartbeat(
    job_id: str | int,
    *,
    lease_token: str,
    reason: str | LeftOut = LEFT_OUT,
    progress: Any | LeftOut = LEFT_OUT,
    log: list[models.LogLineBodyRequest] | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.JobAnswer]:
    """Renews the lease; says until when, and whether the run still needs the job."""
    return Call(
        "POST",
        path("/jobs/{job_id}/heartbeat", job_id=job_id),
        body=given({"lease_token": lease_token, "reason": reason, "progress": progress, "log": log}),
        headers={"Idempotency-Key": idempotency_key},
        repeatable=True,
    )


def post_job_release(
    job_id: str | int,
    *,
    lease_token: str,
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.JobAnswer]:
    """Gives the job back unstarted, which costs no attempt."""
    return Call(
        "POST",
        path("/jobs/{job_id}/release", job_id=job_id),
        body=given({"lease_token": lease_token, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        repeatable=True,
    )


def post_jobs_claim(
    *,
    worker_id: str,
    ids: list[str],
    reason: str | LeftOut = LEFT_OUT,
    queues: list[str] | LeftOut = LEFT_OUT,
    version: str | LeftOut = LEFT_OUT,
    slots: int | LeftOut = LEFT_OUT,
) -> Call[models.ClaimedJobs]:
    """Leases jobs by the ids in their events, up to 100; says for each other one why it can't be leased."""
    return Call(
        "POST",
        "/jobs/claim",
        body=given(
            {
                "worker_id": worker_id,
                "ids": ids,
                "reason": reason,
                "queues": queues,
                "version": version,
                "slots": slots,
            }
        ),
        repeatable=True,
    )


def post_jobs_complete(
    *,
    items: list[models.CompletedJobRequest],
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.JobResults]:
    """Completes up to 1,000 jobs, each by itself: a report that is refused or too late affects only its
    own job.
    """
    return Call(
        "POST",
        "/jobs/complete",
        body=given({"items": items, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        repeatable=True,
    )


def post_jobs_fail(
    *,
    items: list[models.FailedJobRequest],
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.JobResults]:
    """Reports up to 1,000 failed attempts, each by itself."""
    return Call(
        "POST",
        "/jobs/fail",
        body=given({"items": items, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        repeatable=True,
    )


def post_jobs_heartbeat(
    *,
    items: list[models.BeatingJobRequest],
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.JobResults]:
    """Renews up to 1,000 leases; says for each until when, and whether its run still needs the job."""
    return Call(
        "POST",
        "/jobs/heartbeat",
        body=given({"items": items, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        repeatable=True,
    )


def post_jobs_poll(
    *,
    worker_id: str,
    queues: list[str],
    max_jobs: int,
    reason: str | LeftOut = LEFT_OUT,
    wait_seconds: float | LeftOut = LEFT_OUT,
    weights: dict[str, int] | LeftOut = LEFT_OUT,
    version: str | LeftOut = LEFT_OUT,
    slots: int | LeftOut = LEFT_OUT,
) -> Call[models.Jobs]:
    """Leases up to `max_jobs` jobs of the queues; waits for the first one up to `wait_seconds`."""
    return Call(
        "POST",
        "/jobs/poll",
        body=given(
            {
                "worker_id": worker_id,
                "queues": queues,
                "max_jobs": max_jobs,
                "reason": reason,
                "wait_seconds": wait_seconds,
                "weights": weights,
                "version": version,
                "slots": slots,
            }
        ),
    )


def post_member_password_link(
    username: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    hand_over: bool | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.SetPasswordLink]:
    """Mails them a link; with `hand_over` returns one if they can't be reached by mail."""
    return Call(
        "POST",
        path("/members/{username}/password-link", username=username),
        body=given({"reason": reason, "hand_over": hand_over}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_members(
    *,
    username: str,
    role: models.MemberRole,
    reason: str | LeftOut = LEFT_OUT,
    name: str | LeftOut = LEFT_OUT,
    email: str | LeftOut = LEFT_OUT,
    manager: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.NewMember]:
    """Adds a member: 201, for a new user with their first password, which is shown only here, unless they
    are `invited` by mail to set one.
    """
    return Call(
        "POST",
        "/members",
        body=given(
            {
                "username": username,
                "role": role,
                "reason": reason,
                "name": name,
                "email": email,
                "manager": manager,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_outgoing_discard(
    outgoing_id: str | int,
    *,
    confirm: bool,
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Discarded]:
    """Gives up all events that wait for it."""
    return Call(
        "POST",
        path("/webhooks/out/{outgoing_id}/discard", outgoing_id=outgoing_id),
        body=given({"confirm": confirm, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_outgoing_enable(
    outgoing_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Outgoing]:
    """Switches it on, if it is off, and tries at once what waits; `replay` sends events from the meantime."""
    return Call(
        "POST",
        path("/webhooks/out/{outgoing_id}/enable", outgoing_id=outgoing_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_outgoing_replay(
    outgoing_id: str | int,
    delivery_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.OutgoingDelivery]:
    """Sends the event once more, with the `webhook-id` that it had."""
    return Call(
        "POST",
        path(
            "/webhooks/out/{outgoing_id}/deliveries/{delivery_id}/replay",
            outgoing_id=outgoing_id,
            delivery_id=delivery_id,
        ),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_outgoing_replay_since(
    outgoing_id: str | int,
    *,
    since: str,
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Outgoing]:
    """Sends all events since a time again, also those that happened while it was off; ids stay as they
    are.
    """
    return Call(
        "POST",
        path("/webhooks/out/{outgoing_id}/replay", outgoing_id=outgoing_id),
        body=given({"since": since, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_outgoing_rotate(
    outgoing_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    overlap_seconds: int | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.OutgoingWithSecret]:
    """A new secret, shown only here; the old ones sign, too, for `overlap_seconds` (a day)."""
    return Call(
        "POST",
        path("/webhooks/out/{outgoing_id}/rotate", outgoing_id=outgoing_id),
        body=given({"reason": reason, "overlap_seconds": overlap_seconds}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_outgoing_test(
    outgoing_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.OutgoingDelivery]:
    """Sends an event `webhook.test`, like any other; the list of deliveries has the result."""
    return Call(
        "POST",
        path("/webhooks/out/{outgoing_id}/test", outgoing_id=outgoing_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_outgoing_webhooks(
    *,
    url: str,
    reason: str | LeftOut = LEFT_OUT,
    description: str | LeftOut = LEFT_OUT,
    events: list[
        Literal[
            "run.started",
            "run.paused",
            "run.resumed",
            "run.failing",
            "run.cancelling",
            "run.compensating",
            "run.waiting_for_manual_action",
            "run.completed",
            "run.continued",
            "run.failed",
            "run.cancelled",
            "run.compensated",
            "run.reopened",
            "run.migrated",
            "run.sla_warning",
            "run.sla_breached",
            "step.completed",
            "step.failed",
            "step.skipped",
            "step.cancelled",
            "step.waiting",
            "step.attempt_failed",
            "task.opened",
            "task.decided",
            "task.voted",
            "task.delegated",
            "task.returned",
            "task.resubmitted",
            "task.asked",
            "task.answered",
            "task.reminded",
            "task.escalated",
        ]
    ]
    | LeftOut
    | None = LEFT_OUT,
    workflow: str | LeftOut | None = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.OutgoingWithSecret]:
    """A new webhook, with its secret, which is shown only here; events are sent to its url from now on."""
    return Call(
        "POST",
        "/webhooks/out",
        body=given(
            {"url": url, "reason": reason, "description": description, "events": events, "workflow": workflow}
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_presence(
    name: str | int, *, tab: str, step: str | LeftOut | None = LEFT_OUT, left: bool | LeftOut = LEFT_OUT
) -> Call[models.Presence]:
    """Says that the draft is open in a tab; returns who else has it open, and numbers that change with it."""
    return Call(
        "POST",
        path("/workflows/{name}/presence", name=name),
        body=given({"tab": tab, "step": step, "left": left}),
        repeatable=True,
    )


def post_publish(
    name: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    note: str | LeftOut = LEFT_OUT,
    despite_failing_cases: bool | LeftOut = LEFT_OUT,
    revision: int | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Published]:
    """Makes the draft the next version; 200 where it equals the latest one, 422 with its problems."""
    return Call(
        "POST",
        path("/workflows/{name}/publish", name=name),
        body=given(
            {
                "reason": reason,
                "note": note,
                "despite_failing_cases": despite_failing_cases,
                "revision": revision,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_read(
    *, text: str, reason: str | LeftOut = LEFT_OUT, name: str | LeftOut = LEFT_OUT
) -> Call[models.ReadText]:
    """Reads a text, JSON or YAML, into our own dialect, with its problems; 422 if it is neither."""
    return Call(
        "POST", "/workflows/read", body=given({"text": text, "reason": reason, "name": name}), repeatable=True
    )


def post_record_case(
    the_name: str | int,
    *,
    run_id: str,
    name: str,
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Case]:
    """Makes a test case from a run that ended: its input, outside responses as stubs, its path and output."""
    return Call(
        "POST",
        path("/workflows/{name}/test-cases/record", name=the_name),
        body=given({"run_id": run_id, "name": name, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_rename_step(
    name: str | int, *, from_: str, definition: dict[str, Any], to: str
) -> Call[models.Renamed]:
    """The definition with a step renamed, also in edges, timers and expressions; nothing is saved."""
    return Call(
        "POST",
        path("/workflows/{name}/rename-step", name=name),
        body=given({"from": from_, "definition": definition, "to": to}),
        repeatable=True,
    )


def post_reopen_comment(
    name: str | int,
    comment_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.StepComment]:
    """Reopens the thread of a comment."""
    return Call(
        "POST",
        path("/workflows/{name}/comments/{comment_id}/reopen", name=name, comment_id=comment_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_request_withdraw(
    request_id: str | int, *, reason: str, idempotency_key: str | None = None
) -> Call[models.WholeRequest]:
    """Withdraws an open request of yours and undoes what was done; 409 once it has ended."""
    return Call(
        "POST",
        path("/requests/{request_id}/withdraw", request_id=request_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_resolve_comment(
    name: str | int,
    comment_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.StepComment]:
    """Resolves the thread of a comment."""
    return Call(
        "POST",
        path("/workflows/{name}/comments/{comment_id}/resolve", name=name, comment_id=comment_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_restore_version(
    name: str | int, number: str | int, *, reason: str, idempotency_key: str | None = None
) -> Call[models.VersionSummary]:
    """New runs may take a withdrawn version again. A second time changes nothing."""
    return Call(
        "POST",
        path("/workflows/{name}/versions/{number}/restore", name=name, number=number),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_run_batch(
    *,
    workflow: str,
    items: list[models.BatchItemRequest],
    reason: str | LeftOut = LEFT_OUT,
    version: int | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Batch]:
    """Starts up to 1,000 runs of a workflow in one transaction, all or none."""
    return Call(
        "POST",
        "/runs/batch",
        body=given({"workflow": workflow, "items": items, "reason": reason, "version": version}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_run_cancel(
    run_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    compensate: bool | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Run]:
    """Cancels an open run: waiting steps at once, running ones are awaited; 409 if it has ended."""
    return Call(
        "POST",
        path("/runs/{run_id}/cancel", run_id=run_id),
        body=given({"reason": reason, "compensate": compensate}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_run_cases(
    name: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    definition: dict[str, Any] | LeftOut = LEFT_OUT,
    ids: list[int] | LeftOut = LEFT_OUT,
) -> Call[models.Results]:
    """Runs test cases in memory, with the draft or another definition; nothing outside is called."""
    return Call(
        "POST",
        path("/workflows/{name}/test-cases/run", name=name),
        body=given({"reason": reason, "definition": definition, "ids": ids}),
        repeatable=True,
    )


def post_run_migrate(
    run_id: str | int,
    *,
    version: int,
    reason: str | LeftOut = LEFT_OUT,
    dry_run: bool | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.MigratedRun]:
    """Moves an open run to another version: 200 the run; 409 `does_not_fit` names the step and `problems`.
    Completed work stays and steps in progress go on; their times count from when they began, as the
    version has them. Open runs of items are moved with it, all or none. With `dry_run` nothing is
    changed: 200 `{ok, problems, begins, times, parts}`.
    """
    return Call(
        "POST",
        path("/runs/{run_id}/migrate", run_id=run_id),
        body=given({"version": version, "reason": reason, "dry_run": dry_run}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_run_pause(
    run_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Run]:
    """Pauses a RUNNING run: nothing new starts, running steps finish; 409 for any other."""
    return Call(
        "POST",
        path("/runs/{run_id}/pause", run_id=run_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_run_rerun(
    run_id: str | int,
    *,
    from_node: str,
    reason: str | LeftOut = LEFT_OUT,
    version: int | LeftOut = LEFT_OUT,
    input: Any | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Run]:
    """Starts a new run that keeps what the ended one did, approvals too, except `from_node` and what
    follows. Also needs the right to start the workflow.
    """
    return Call(
        "POST",
        path("/runs/{run_id}/rerun", run_id=run_id),
        body=given({"from_node": from_node, "reason": reason, "version": version, "input": input}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_run_resume(
    run_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    version: int | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Run]:
    """Reopens a FAILED run: its failed steps run again, completed ones stay; 409 for any other. With
    `version` it goes on with another version of its workflow; 409 `does_not_fit` if that is not
    possible.
    """
    return Call(
        "POST",
        path("/runs/{run_id}/resume", run_id=run_id),
        body=given({"reason": reason, "version": version}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_run_searches(
    *,
    name: str,
    reason: str | LeftOut = LEFT_OUT,
    query: str | LeftOut = LEFT_OUT,
    group: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.RunSearch]:
    """Saves a search under a name: 201; 409 `name_taken` if you already have one of that name."""
    return Call(
        "POST",
        "/run-searches",
        body=given({"name": name, "reason": reason, "query": query, "group": group}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_run_signals(
    run_id: str | int,
    *,
    name: str,
    signal_id: str,
    payload: Any | LeftOut = LEFT_OUT,
    child: str | LeftOut = LEFT_OUT,
    index: int | LeftOut = LEFT_OUT,
    all: bool | LeftOut = LEFT_OUT,
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Signal]:
    """Sends the run a signal: 202. The same `signal_id` again is dropped: 200; a new one to an ended run:
    409. It goes to the oldest open wait of its name in the run and the runs below it; `delivered` says
    where it went.
    """
    return Call(
        "POST",
        path("/runs/{run_id}/signals", run_id=run_id),
        body=given(
            {
                "name": name,
                "signal_id": signal_id,
                "payload": payload,
                "child": child,
                "index": index,
                "all": all,
                "reason": reason,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_run_unpause(
    run_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Run]:
    """Lets a PAUSED run go on; 409 for any other."""
    return Call(
        "POST",
        path("/runs/{run_id}/unpause", run_id=run_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_runs(
    *,
    workflow: str,
    input: Any,
    reason: str | LeftOut = LEFT_OUT,
    version: int | LeftOut = LEFT_OUT,
    business_key: str | LeftOut = LEFT_OUT,
    sla_seconds: int | LeftOut = LEFT_OUT,
    priority: int | LeftOut = LEFT_OUT,
    if_exists: models.IfExistsEnum | LeftOut = LEFT_OUT,
    signal: models.SignalFieldsRequest | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.StartedRun]:
    """Starts a run: 201; the same business key again: 200 and the run that exists."""
    return Call(
        "POST",
        "/runs",
        body=given(
            {
                "workflow": workflow,
                "input": input,
                "reason": reason,
                "version": version,
                "business_key": business_key,
                "sla_seconds": sla_seconds,
                "priority": priority,
                "if_exists": if_exists,
                "signal": signal,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_runs_bulk(
    *,
    action: models.RunBulkAction,
    reason: str | LeftOut = LEFT_OUT,
    ids: list[str] | LeftOut = LEFT_OUT,
    filter: models.RunFilterRequest | LeftOut = LEFT_OUT,
    compensate: bool | LeftOut = LEFT_OUT,
    dry_run: bool | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.BulkRuns]:
    """Cancels, pauses, unpauses or resumes up to 1,000 runs, each by itself: 200 with a result for each."""
    return Call(
        "POST",
        "/runs/bulk",
        body=given(
            {
                "action": action,
                "reason": reason,
                "ids": ids,
                "filter": filter,
                "compensate": compensate,
                "dry_run": dry_run,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_schedule_run(
    schedule: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Run]:
    """Starts a run now, whatever runs already and also while the schedule is off: 201 the run."""
    return Call(
        "POST",
        path("/schedules/{schedule}/run", schedule=schedule),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_schedules(
    *,
    name: str,
    workflow: str,
    reason: str | LeftOut = LEFT_OUT,
    cron: str | LeftOut | None = LEFT_OUT,
    every_seconds: int | LeftOut | None = LEFT_OUT,
    at: str | LeftOut | None = LEFT_OUT,
    timezone: str | LeftOut = LEFT_OUT,
    overlap: models.OverlapEnum | LeftOut = LEFT_OUT,
    catchup_seconds: int | LeftOut = LEFT_OUT,
    jitter_seconds: int | LeftOut = LEFT_OUT,
    calendar: str | LeftOut | None = LEFT_OUT,
    enabled: bool | LeftOut = LEFT_OUT,
    note: str | LeftOut = LEFT_OUT,
    input: Any | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Schedule]:
    """A new schedule: it starts runs of a workflow that you may start, for you."""
    return Call(
        "POST",
        "/schedules",
        body=given(
            {
                "name": name,
                "workflow": workflow,
                "reason": reason,
                "cron": cron,
                "every_seconds": every_seconds,
                "at": at,
                "timezone": timezone,
                "overlap": overlap,
                "catchup_seconds": catchup_seconds,
                "jitter_seconds": jitter_seconds,
                "calendar": calendar,
                "enabled": enabled,
                "note": note,
                "input": input,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_scope(
    name: str | int,
    *,
    definition: dict[str, Any],
    place: models.PlaceEnum,
    node: str | LeftOut = LEFT_OUT,
    edge: models.EndsRequest | LeftOut = LEFT_OUT,
    pins: dict[str, Any] | LeftOut = LEFT_OUT,
) -> Call[models.Scope]:
    """What an expression at a place of this draft can read, with samples of the last run, and call."""
    return Call(
        "POST",
        path("/workflows/{name}/scope", name=name),
        body=given({"definition": definition, "place": place, "node": node, "edge": edge, "pins": pins}),
        repeatable=True,
    )


def post_signals(
    *,
    name: str,
    signal_id: str,
    workflow: str,
    business_key: str,
    payload: Any | LeftOut = LEFT_OUT,
    child: str | LeftOut = LEFT_OUT,
    index: int | LeftOut = LEFT_OUT,
    all: bool | LeftOut = LEFT_OUT,
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Signal]:
    """Sends a signal to the run that has this business key in the workflow; answers as above."""
    return Call(
        "POST",
        "/signals",
        body=given(
            {
                "name": name,
                "signal_id": signal_id,
                "workflow": workflow,
                "business_key": business_key,
                "payload": payload,
                "child": child,
                "index": index,
                "all": all,
                "reason": reason,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_step_cancel(
    run_id: str | int,
    node: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    index: int | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Run]:
    """Cancels an item of a map or a round of a loop: it fails with `ItemCancelled`, and counts as failed.
    An item with a run of its own, or without `index` the run that a step waits for, is cancelled as any
    run is, and fails with `ChildCancelled` when that has ended.
    """
    return Call(
        "POST",
        path("/runs/{run_id}/steps/{node}/cancel", run_id=run_id, node=node),
        body=given({"reason": reason, "index": index}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_step_pause(
    run_id: str | int,
    node: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    index: int | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Run]:
    """Pauses an item that no worker has yet, or its run; without `index` the run that a step waits for."""
    return Call(
        "POST",
        path("/runs/{run_id}/steps/{node}/pause", run_id=run_id, node=node),
        body=given({"reason": reason, "index": index}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_step_resume(
    run_id: str | int,
    node: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    index: int | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Run]:
    """Resumes an item that failed, or without `index` the failed run of a step: what it completed stays."""
    return Call(
        "POST",
        path("/runs/{run_id}/steps/{node}/resume", run_id=run_id, node=node),
        body=given({"reason": reason, "index": index}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_step_retry(
    run_id: str | int,
    node: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    index: int | LeftOut = LEFT_OUT,
    input: Any | LeftOut = LEFT_OUT,
    despite_unknown: bool | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Run]:
    """Retries a step that failed or waits for its next attempt, with another input if you give one. With
    `index`: an item of a map or a round of a loop; a FAILED run is resumed by it. A compensation is the
    step `<node>:compensate`; it takes no other input.
    """
    return Call(
        "POST",
        path("/runs/{run_id}/steps/{node}/retry", run_id=run_id, node=node),
        body=given({"reason": reason, "index": index, "input": input, "despite_unknown": despite_unknown}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_step_skip(
    run_id: str | int,
    node: str | int,
    *,
    output: Any,
    reason: str | LeftOut = LEFT_OUT,
    index: int | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Run]:
    """Skips a step that failed, waits or is queued: it counts as done with the given output. With `index`:
    an item of a map or a round of a loop. A run that the step or the item waits for ends. A
    compensation, `<node>:compensate`, counts as done by hand, and the run goes on undoing.
    """
    return Call(
        "POST",
        path("/runs/{run_id}/steps/{node}/skip", run_id=run_id, node=node),
        body=given({"output": output, "reason": reason, "index": index}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_step_unpause(
    run_id: str | int,
    node: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    index: int | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Run]:
    """Lets an item go on that was paused, or its run; without `index` the run that a step waits for."""
    return Call(
        "POST",
        path("/runs/{run_id}/steps/{node}/unpause", run_id=run_id, node=node),
        body=given({"reason": reason, "index": index}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_answer(
    task_id: str | int, *, text: str, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Task]:
    """Answers a question, for whoever started the run or may decide tasks; 409 if nothing was asked."""
    return Call(
        "POST",
        path("/tasks/{task_id}/answer", task_id=task_id),
        body=given({"text": text, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_ask(
    task_id: str | int, *, text: str, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Task]:
    """Asks for information: the task's clock stops until somebody answers; 409 while a question is open."""
    return Call(
        "POST",
        path("/tasks/{task_id}/ask", task_id=task_id),
        body=given({"text": text, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_assign(
    task_id: str | int, *, assignee: str, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Task]:
    """Assigns the task to a member whom it asks."""
    return Call(
        "POST",
        path("/tasks/{task_id}/assign", task_id=task_id),
        body=given({"assignee": assignee, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_claim(
    task_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Task]:
    """Takes the task for yourself; 409 if somebody else has it."""
    return Call(
        "POST",
        path("/tasks/{task_id}/claim", task_id=task_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_comments(
    task_id: str | int, *, text: str, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Comment]:
    """Comments on an open task; 409 if it is closed."""
    return Call(
        "POST",
        path("/tasks/{task_id}/comments", task_id=task_id),
        body=given({"text": text, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_complete(
    task_id: str | int,
    *,
    outcome: str,
    reason: str | LeftOut = LEFT_OUT,
    seen: str | LeftOut = LEFT_OUT,
    password: str | LeftOut = LEFT_OUT,
    data: dict[str, Any] | LeftOut = LEFT_OUT,
    comment: str | LeftOut = LEFT_OUT,
    undoable: bool | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Task]:
    """Decides the task, and its run goes on; 409, with who and when, if it is already decided."""
    return Call(
        "POST",
        path("/tasks/{task_id}/complete", task_id=task_id),
        body=given(
            {
                "outcome": outcome,
                "reason": reason,
                "seen": seen,
                "password": password,
                "data": data,
                "comment": comment,
                "undoable": undoable,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_delegate(
    task_id: str | int, *, to: str, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Task]:
    """Hands a task that you may decide to another member, who decides it on your behalf."""
    return Call(
        "POST",
        path("/tasks/{task_id}/delegate", task_id=task_id),
        body=given({"to": to, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_escalate(
    task_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    to: models.WhomRequest | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Task]:
    """Asks others, too: those in `to`, or the next level; the latter also if you may only assign tasks."""
    return Call(
        "POST",
        path("/tasks/{task_id}/escalate", task_id=task_id),
        body=given({"reason": reason, "to": to}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_files(
    task_id: str | int,
    *,
    content: bytes,
    name: str | None = None,
    reason: str | None = None,
    idempotency_key: str | None = None,
) -> Call[models.TaskFile]:
    """Adds a file (the body), for whoever started the run or may decide tasks; 409 if the task is closed."""
    return Call(
        "POST",
        path("/tasks/{task_id}/files", task_id=task_id),
        query={"name": name, "reason": reason},
        content=content,
        headers={"Content-Type": "application/octet-stream", "Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_resolve(
    task_id: str | int,
    *,
    resolution: models.ResolutionEnum,
    reason: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Task]:
    """Settles the task's failed compensation, and its run goes on; 409, with who and when, if it is
    settled.
    """
    return Call(
        "POST",
        path("/tasks/{task_id}/resolve", task_id=task_id),
        body=given({"resolution": resolution, "reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_resubmit(
    task_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    facts: dict[str, Any] | LeftOut = LEFT_OUT,
    comment: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Task]:
    """Begins the next round, by the person it was returned to; whoever returned it can take it back this
    way.
    """
    return Call(
        "POST",
        path("/tasks/{task_id}/resubmit", task_id=task_id),
        body=given({"reason": reason, "facts": facts, "comment": comment}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_return(
    task_id: str | int,
    *,
    comment: str,
    reason: str | LeftOut = LEFT_OUT,
    to: str | LeftOut = LEFT_OUT,
    seen: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Task]:
    """Returns the task to whoever started the run, or to `to`; its clock stops until they resubmit it."""
    return Call(
        "POST",
        path("/tasks/{task_id}/return", task_id=task_id),
        body=given({"comment": comment, "reason": reason, "to": to, "seen": seen}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_snooze(
    task_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    until: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Task]:
    """Keeps the task out of your own lists until that time; others see it as before."""
    return Call(
        "POST",
        path("/tasks/{task_id}/snooze", task_id=task_id),
        body=given({"reason": reason, "until": until}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_unclaim(
    task_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Task]:
    """Puts the task back for all whom it asks, or for whoever delegated it; another's needs
    `tasks:assign`.
    """
    return Call(
        "POST",
        path("/tasks/{task_id}/unclaim", task_id=task_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_undo(
    task_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Task]:
    """Takes back your `undoable` decision before it counts; 409 `nothing_to_undo` afterwards."""
    return Call(
        "POST",
        path("/tasks/{task_id}/undo", task_id=task_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_unwatch(
    task_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Task]:
    """Takes the task out of your view `watching`."""
    return Call(
        "POST",
        path("/tasks/{task_id}/unwatch", task_id=task_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_task_watch(
    task_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Task]:
    """Puts the task into your view `watching`, open or closed."""
    return Call(
        "POST",
        path("/tasks/{task_id}/watch", task_id=task_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_tasks_bulk(
    *,
    action: models.BulkAction,
    reason: str | LeftOut = LEFT_OUT,
    ids: list[str] | LeftOut = LEFT_OUT,
    view: models.ViewEnum | LeftOut = LEFT_OUT,
    filter: str | LeftOut = LEFT_OUT,
    assignee: str | LeftOut = LEFT_OUT,
    until: str | LeftOut = LEFT_OUT,
    outcome: str | LeftOut = LEFT_OUT,
    comment: str | LeftOut = LEFT_OUT,
    seen: dict[str, Any] | LeftOut = LEFT_OUT,
    undoable: bool | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Bulk]:
    """Claims, assigns, snoozes or decides up to 200 tasks, or undoes what you decided `undoable`, each by
    itself. 200 with a result for each.
    """
    return Call(
        "POST",
        "/tasks/bulk",
        body=given(
            {
                "action": action,
                "reason": reason,
                "ids": ids,
                "view": view,
                "filter": filter,
                "assignee": assignee,
                "until": until,
                "outcome": outcome,
                "comment": comment,
                "seen": seen,
                "undoable": undoable,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_token_revoke(
    token_id: str | int, *, reason: str | LeftOut = LEFT_OUT, idempotency_key: str | None = None
) -> Call[models.Token]:
    """Like DELETE, and returns the token."""
    return Call(
        "POST",
        path("/tokens/{token_id}/revoke", token_id=token_id),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_token_rotate(
    token_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    overlap_seconds: int | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.NewToken]:
    """Replaces one of your tokens by another with its name, role, scopes and lifetime: 201 with its text."""
    return Call(
        "POST",
        path("/tokens/{token_id}/rotate", token_id=token_id),
        body=given({"reason": reason, "overlap_seconds": overlap_seconds}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_tokens(
    *,
    name: str,
    reason: str | LeftOut = LEFT_OUT,
    role: models.TokenRole | LeftOut = LEFT_OUT,
    scopes: list[models.ScopesEnum] | LeftOut = LEFT_OUT,
    days: int | LeftOut = LEFT_OUT,
    service: bool | LeftOut = LEFT_OUT,
    allowed_ips: list[str] | LeftOut = LEFT_OUT,
    queues: list[str] | LeftOut = LEFT_OUT,
    folders: list[str] | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.NewToken]:
    """Makes a token that acts for you: 201 with its text, which is shown only here."""
    return Call(
        "POST",
        "/tokens",
        body=given(
            {
                "name": name,
                "reason": reason,
                "role": role,
                "scopes": scopes,
                "days": days,
                "service": service,
                "allowed_ips": allowed_ips,
                "queues": queues,
                "folders": folders,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_trials(
    name: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    input: Any | LeftOut = LEFT_OUT,
    definition: dict[str, Any] | LeftOut = LEFT_OUT,
    until: str | LeftOut = LEFT_OUT,
    only: str | LeftOut = LEFT_OUT,
    step_input: Any | LeftOut = LEFT_OUT,
    live: Any | LeftOut = LEFT_OUT,
    outcomes: dict[str, str] | LeftOut = LEFT_OUT,
    pins: dict[str, Any] | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.Trial]:
    """Starts a test run of the draft: side effects are left out unless `live`, and nothing waits."""
    return Call(
        "POST",
        path("/workflows/{name}/trials", name=name),
        body=given(
            {
                "reason": reason,
                "input": input,
                "definition": definition,
                "until": until,
                "only": only,
                "step_input": step_input,
                "live": live,
                "outcomes": outcomes,
                "pins": pins,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_validate(*, definition: dict[str, Any], reason: str | LeftOut = LEFT_OUT) -> Call[models.Problems]:
    """All problems of a definition, in whatever dialect it is written."""
    return Call(
        "POST",
        "/workflows/validate",
        body=given({"definition": definition, "reason": reason}),
        repeatable=True,
    )


def post_webhook_rotate(
    webhook_id: str | int,
    *,
    reason: str | LeftOut = LEFT_OUT,
    overlap_seconds: int | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.WebhookWithSecret]:
    """A new secret, shown only here; the old ones stay valid for `overlap_seconds` more (a day)."""
    return Call(
        "POST",
        path("/webhooks/{webhook_id}/rotate", webhook_id=webhook_id),
        body=given({"reason": reason, "overlap_seconds": overlap_seconds}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_webhooks(
    *,
    name: str,
    workflow: str,
    action: models.ActionEnum,
    reason: str | LeftOut = LEFT_OUT,
    mapping: dict[str, Any] | LeftOut = LEFT_OUT,
    allow_unsigned: bool | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.WebhookWithSecret]:
    """A new webhook, with its address and its secret: the secret is shown only here."""
    return Call(
        "POST",
        "/webhooks",
        body=given(
            {
                "name": name,
                "workflow": workflow,
                "action": action,
                "reason": reason,
                "mapping": mapping,
                "allow_unsigned": allow_unsigned,
            }
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_withdraw(
    name: str | int, number: str | int, *, reason: str, idempotency_key: str | None = None
) -> Call[models.VersionSummary]:
    """No new runs are started with the version; open runs go on. A second time changes nothing."""
    return Call(
        "POST",
        path("/workflows/{name}/versions/{number}/withdraw", name=name, number=number),
        body=given({"reason": reason}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_workflow_migrate(
    name: str | int,
    *,
    from_: int,
    to: int,
    reason: str | LeftOut = LEFT_OUT,
    dry_run: bool | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.BulkJob]:
    """Moves all open runs of version `from` to `to`, each by itself, in the background: 202 a bulk job.
    With `dry_run` the job only finds out what would happen to each.
    """
    return Call(
        "POST",
        path("/workflows/{name}/migrate", name=name),
        body=given({"from": from_, "to": to, "reason": reason, "dry_run": dry_run}),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_workflows(
    *,
    name: str,
    reason: str | LeftOut = LEFT_OUT,
    title: str | LeftOut = LEFT_OUT,
    definition: dict[str, Any] | LeftOut = LEFT_OUT,
    folder: str | LeftOut = LEFT_OUT,
    idempotency_key: str | None = None,
) -> Call[models.DraftedWorkflow]:
    """Makes a workflow with its draft; 409 if the name is taken."""
    return Call(
        "POST",
        "/workflows",
        body=given(
            {"name": name, "reason": reason, "title": title, "definition": definition, "folder": folder}
        ),
        headers={"Idempotency-Key": idempotency_key},
        keyed=True,
    )


def post_write(
    *, definition: dict[str, Any], format: models.FormatEnum, reason: str | LeftOut = LEFT_OUT
) -> Call[dict[str, Any]]:
    """A definition as JSON or YAML, with its keys in the order in which people look for them."""
    return Call(
        "POST",
        "/workflows/write",
        body=given({"definition": definition, "format": format, "reason": reason}),
        repeatable=True,
    )


def put_draft(
    name: str | int,
    *,
    definition: dict[str, Any],
    if_match: str,
    reason: str | LeftOut = LEFT_OUT,
    layout: dict[str, Any] | LeftOut = LEFT_OUT,
) -> Call[models.SavedDraft]:
    """Replaces the draft that has the ETag in `If-Match` (428 without, 412 if it was changed since)."""
    return Call(
        "PUT",
        path("/workflows/{name}/draft", name=name),
        body=given({"definition": definition, "reason": reason, "layout": layout}),
        headers={"If-Match": if_match},
    )


def put_task_draft(
    task_id: str | int, *, data: dict[str, Any] | LeftOut = LEFT_OUT, comment: str | LeftOut = LEFT_OUT
) -> Call[models.TaskDraft]:
    """Keeps what you have typed, unchecked, until you decide or the task ends; 409 if it has."""
    return Call(
        "PUT", path("/tasks/{task_id}/draft", task_id=task_id), body=given({"data": data, "comment": comment})
    )
