"""Rows of tasks_inbox that no service makes alone."""

from uuid import uuid4

import factory

from tasks_inbox.models import Notification
from tests.factories.accounts import OfATenant


class NotificationFactory(OfATenant):
    """A mail to ann that a task is hers, which could not be sent once; the task and its run are nowhere."""

    id = factory.LazyFunction(uuid4)
    task_id = factory.LazyFunction(uuid4)
    run_id = factory.LazyFunction(uuid4)
    kind = "assigned"
    username = "ann"
    attempts = 1
    error = "no answer"

    class Meta:
        model = Notification
