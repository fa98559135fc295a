"""Rows of bulk jobs."""

import factory
from factory.django import DjangoModelFactory

from lib.uuid7 import uuid7
from operations.bulk.models import BulkJob


class BulkJobFactory(DjangoModelFactory[BulkJob]):
    """A job that would bring no runs of a version, which is to be given, to the same one."""

    id = factory.LazyFunction(uuid7)
    to_version = factory.SelfAttribute("from_version")
    workflow = factory.SelfAttribute("from_version.workflow")
    tenant_id = factory.SelfAttribute("from_version.tenant_id")
    dry_run = True
    total = 0
    created_by = "ann"

    class Meta:
        model = BulkJob
