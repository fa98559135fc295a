"""The Celery app: hints and ticks only; everything that matters is in PostgreSQL (ENGINE.md "Hints")."""

import os
import warnings

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import beat_init, worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Five lines from each worker of a container that runs as root; the danger they mean is pickle, and we accept JSON only.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("handoff")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def tell_supervisor(**_: object) -> None:
    """Say "ready" through the pipe that the supervisor left open; without a supervisor there is none."""
    if descriptor := os.environ.pop("HANDOFF_READY_FD", ""):
        os.write(int(descriptor), b"1")
        os.close(int(descriptor))


worker_ready.connect(tell_supervisor)
beat_init.connect(tell_supervisor)
