"""What migrations do with rows, on the way and on the way back: refusals say what is in the way."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.exceptions import IrreversibleError

from accounts.models import Folder
from runs.models import Request, Run
from tests import factories as make
from tests.inbox.asking import member

pytestmark = pytest.mark.django_db


def test_a_role_that_somebody_has_is_not_taken_back():
    refuse = import_module("accounts.migrations.0004_requester_and_density").refuse_with_requesters
    refuse(apps, None)
    member("rita", "requester")
    with pytest.raises(IrreversibleError, match="1 members have the role requester"):
        refuse(apps, None)


def test_folders_that_keep_somebody_out_are_not_taken_back():
    refuse = import_module("workflows.migrations.0002_folders").refuse_with_folders
    make.a_workflow("plain", make.chain("noop"))
    assert Folder.unsafe_all_tenants.exists()
    refuse(apps, None)
    make.FolderFactory(name="Locked")
    with pytest.raises(IrreversibleError, match="1 folders beside the default ones"):
        refuse(apps, None)


def test_the_newest_runs_of_each_tenant_become_requests():
    user = make.a_user("ann")
    tenants = [make.TenantFactory(slug=slug).pk for slug in ("ours", "theirs")]
    newest = set()
    for tenant in tenants:
        runs = make.start(make.chain("noop"), {"n": 1}, {"n": 2})
        Run.unsafe_all_tenants.filter(pk__in=runs).update(tenant_id=tenant, created_by=user.username.upper())
        newest.add(max(runs))
    with connection.cursor() as cursor:
        cursor.execute(import_module("runs.migrations.0005_requests").fill(1))
    assert {str(one.run_id) for one in Request.unsafe_all_tenants.all()} == newest
