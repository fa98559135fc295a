"""The app of the pipeline form."""

from django.apps import AppConfig


class PipelineConfig(AppConfig):
    """The pipeline form."""

    name = "workflows.pipeline"
    label = "pipeline"
    verbose_name = "Pipeline form"

    def ready(self) -> None:
        """Tell the builder which drafts the form can show."""
        from workflows.pipeline.rules import is_pipeline
        from workflows.ports import PIPELINE_FORMS

        PIPELINE_FORMS.register(is_pipeline)
