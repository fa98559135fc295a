"""Who watches a run is shut out as soon as the folder where its workflow lies lets them read it no more."""

from dataclasses import replace
from uuid import UUID

import pytest

from accounts.folders import default_folder
from accounts.principal import EVERYWHERE, Principal, Reach
from accounts.roles import SCOPES_OF_ROLE
from runs.web.socket_watch import Watched, folders_now
from tests import factories as make
from workflows.models import Workflow

RUN, OTHER = UUID(int=1), UUID(int=2)


async def nothing() -> None:
    """Ends no socket."""


def viewer(reach: Reach) -> Principal:
    return Principal(1, "ours", 7, "eve", "viewer", SCOPES_OF_ROLE["viewer"], "session", reach=reach)


def test_a_socket_stays_open_while_the_folder_of_its_run_lets_them_read():
    socket = Watched("key", 7, 1, "runs:read", nothing, run=RUN)
    assert socket.may_stay(viewer(Reach.of([(3, ["read"])])), {RUN: 3})
    assert socket.may_stay(viewer(EVERYWHERE), {RUN: 3})
    assert not socket.may_stay(viewer(Reach.of([(3, ["start"]), (4, ["read"])])), {RUN: 3})
    assert not socket.may_stay(viewer(Reach.of([(3, ["read"])])), {OTHER: 3})
    assert not socket.may_stay(viewer(Reach()), {RUN: 3})


def test_a_socket_about_all_runs_is_in_no_folder():
    assert Watched("key", 7, 1, "runs:read", nothing).may_stay(viewer(Reach()), {})


@pytest.mark.django_db
def test_whose_workflow_is_moved_out_of_reach_watches_it_no_more():
    (run_id,) = make.start(make.chain("noop"), {})
    tenant = Workflow.unsafe_all_tenants.get().tenant_id
    who = replace(viewer(Reach.of([(default_folder(tenant).pk, ["read"])])), tenant_id=tenant)
    socket = Watched("key", 7, tenant, "runs:read", nothing, run=UUID(str(run_id)))
    assert socket.may_stay(who, folders_now([socket]))
    Workflow.unsafe_all_tenants.update(folder=make.FolderFactory(name="Shut"))
    assert not socket.may_stay(who, folders_now([socket]))
