"""Rows of tasks_inbox that no service makes alone."""

from uuid import uuid4

import factory
from factory.django import DjangoModelFactory

from tasks_inbox.models import Notification
from tests.factories.accounts import a_tenant


class NotificationFactory(DjangoModelFactory[Notification]):
    """A mail to ann that a task is hers, which could not be sent once; the task and its run are nowhere."""

    id = factory.LazyFunction(uuid4)
    tenant_id = factory.LazyFunction(lambda: a_tenant().pk)
    task_id = factory.LazyFunction(uuid4)
    run_id = factory.LazyFunction(uuid4)
    kind = "assigned"
    username = "ann"
    attempts = 1
    error = "no answer"

    class Meta:
        model = Notification
