"""The workflows' routes, below `/api/v1/`."""

from django.urls import path

import workflows.api.converters  # noqa: F401  (registers `workflow_name`)
from workflows.api import building, cases, collaboration, drafts, tables, texts, views

urlpatterns = [
    path("step-types", building.StepTypesView.as_view(), name="api-step-types"),
    path("definition-schema", building.DefinitionSchemaView.as_view(), name="api-definition-schema"),
    path("decision-tables/import", tables.ImportTableView.as_view(), name="api-decision-table-import"),
    path("decision-tables/export", tables.ExportTableView.as_view(), name="api-decision-table-export"),
    path("decision-tables/test", tables.TryTableView.as_view(), name="api-decision-table-test"),
    path("workflows", views.WorkflowsView.as_view(), name="api-workflows"),
    path("workflows/validate", views.ValidateView.as_view(), name="api-workflows-validate"),
    path("workflows/import", texts.ImportView.as_view(), name="api-workflows-import"),
    path("workflows/read", texts.ReadView.as_view(), name="api-workflows-read"),
    path("workflows/write", texts.WriteView.as_view(), name="api-workflows-write"),
    path("workflows/<workflow_name:name>", views.WorkflowView.as_view(), name="api-workflow"),
    path("workflows/<workflow_name:name>/scope", building.ScopeView.as_view(), name="api-workflow-scope"),
    path(
        "workflows/<workflow_name:name>/evaluate",
        building.EvaluateView.as_view(),
        name="api-workflow-evaluate",
    ),
    path(
        "workflows/<workflow_name:name>/rename-step",
        building.RenameStepView.as_view(),
        name="api-workflow-rename-step",
    ),
    path(
        "workflows/<workflow_name:name>/rename-fact",
        building.RenameFactView.as_view(),
        name="api-workflow-rename-fact",
    ),
    path("workflows/<workflow_name:name>/export", texts.ExportView.as_view(), name="api-workflow-export"),
    path("workflows/<workflow_name:name>/draft", drafts.DraftView.as_view(), name="api-workflow-draft"),
    path(
        "workflows/<workflow_name:name>/draft/changes",
        drafts.DraftChangesView.as_view(),
        name="api-workflow-draft-changes",
    ),
    path("workflows/<workflow_name:name>/publish", views.PublishView.as_view(), name="api-workflow-publish"),
    path(
        "workflows/<workflow_name:name>/readiness",
        views.ReadinessView.as_view(),
        name="api-workflow-readiness",
    ),
    path("workflows/<workflow_name:name>/diff", views.DiffView.as_view(), name="api-workflow-diff"),
    path(
        "workflows/<workflow_name:name>/versions", views.VersionsView.as_view(), name="api-workflow-versions"
    ),
    path(
        "workflows/<workflow_name:name>/versions/<int:number>",
        views.VersionView.as_view(),
        name="api-workflow-version",
    ),
    path(
        "workflows/<workflow_name:name>/versions/<int:number>/withdraw",
        views.WithdrawView.as_view(),
        name="api-workflow-version-withdraw",
    ),
    path(
        "workflows/<workflow_name:name>/versions/<int:number>/restore",
        views.RestoreVersionView.as_view(),
        name="api-workflow-version-restore",
    ),
    path(
        "workflows/<workflow_name:name>/test-cases",
        cases.CasesView.as_view(),
        name="api-workflow-test-cases",
    ),
    path(
        "workflows/<workflow_name:name>/test-cases/run",
        cases.RunCasesView.as_view(),
        name="api-workflow-test-cases-run",
    ),
    path(
        "workflows/<workflow_name:name>/test-cases/<int:case_id>",
        cases.CaseView.as_view(),
        name="api-workflow-test-case",
    ),
    path(
        "workflows/<workflow_name:name>/presence",
        collaboration.PresenceView.as_view(),
        name="api-workflow-presence",
    ),
    path(
        "workflows/<workflow_name:name>/readers",
        collaboration.ReadersView.as_view(),
        name="api-workflow-readers",
    ),
    path(
        "workflows/<workflow_name:name>/comments",
        collaboration.CommentsView.as_view(),
        name="api-workflow-comments",
    ),
    path(
        "workflows/<workflow_name:name>/comments/<int:comment_id>",
        collaboration.CommentView.as_view(),
        name="api-workflow-comment",
    ),
    path(
        "workflows/<workflow_name:name>/comments/<int:comment_id>/resolve",
        collaboration.ResolveCommentView.as_view(),
        name="api-workflow-comment-resolve",
    ),
    path(
        "workflows/<workflow_name:name>/comments/<int:comment_id>/reopen",
        collaboration.ReopenCommentView.as_view(),
        name="api-workflow-comment-reopen",
    ),
]
