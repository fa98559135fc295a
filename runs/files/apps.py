"""The app of the files of runs."""

from django.apps import AppConfig


class FilesConfig(AppConfig):
    """Files of runs."""

    name = "runs.files"
    label = "files"
    verbose_name = "Files of runs"
