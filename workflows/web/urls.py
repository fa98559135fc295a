"""Pages of workflows."""

from django.urls import path

from workflows.web import builder, definitions, versions, views

urlpatterns = [
    path("workflows/", views.workflows_page, name="workflows"),
    path("workflows/import", definitions.import_page, name="workflow-import"),
    path("workflows/examples", views.examples_page, name="workflow-examples"),
    path("workflows/examples/<slug:example>", views.take_example, name="workflow-take-example"),
    path("workflows/<workflow_name:name>/", views.workflow_page, name="workflow"),
    path("workflows/<workflow_name:name>/edit", builder.builder_page, name="workflow-edit"),
    path("workflows/<workflow_name:name>/versions", versions.versions_page, name="workflow-versions"),
    path(
        "workflows/<workflow_name:name>/versions/<int:number>/edit",
        versions.restore_version,
        name="workflow-restore",
    ),
    path(
        "workflows/<workflow_name:name>/versions/<int:number>/withdraw",
        versions.withdraw_version,
        name="workflow-version-withdraw",
    ),
    path(
        "workflows/<workflow_name:name>/versions/<int:number>/restore",
        versions.unwithdraw_version,
        name="workflow-version-restore",
    ),
    path(
        "workflows/<workflow_name:name>/definition", definitions.definition_page, name="workflow-definition"
    ),
    path(
        "workflows/<workflow_name:name>/definition.json",
        definitions.download_definition,
        name="workflow-download",
    ),
    path("workflows/<workflow_name:name>/archive", views.archive_workflow, name="workflow-archive"),
    path("workflows/<workflow_name:name>/move", views.move_workflow, name="workflow-move"),
    path("workflows/<workflow_name:name>/duplicate", views.duplicate_workflow, name="workflow-duplicate"),
]
