"""The Celery app: hints and ticks only; everything that matters is in PostgreSQL (docs/engine.md, "Hints")."""

import os
import warnings
from importlib import import_module

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import beat_init, worker_init

from config import redis_transport
from lib import pulse

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Five lines from each worker of a container that runs as root; the danger they mean is pickle, and we accept JSON only.
warnings.filterwarnings("ignore", category=SecurityWarning)

redis_transport.install()
app = Celery("handoff")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["runs.workers"])


def ready(**_: object) -> None:
    """Tell whoever started this process that it works."""
    pulse.beat()


def refuse_strangers(**_: object) -> None:
    """Whoever does not belong to its database ends here, however it was started. Raises SystemExit."""
    import_module("config.belonging").refuse()


def register_duties(**_: object) -> None:
    """Have a worker know all duties before it does the first one."""
    import_module("config.duties").register()


beat_init.connect(refuse_strangers)
beat_init.connect(ready)
worker_init.connect(refuse_strangers)
worker_init.connect(register_duties)
