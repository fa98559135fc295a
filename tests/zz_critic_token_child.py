"""FAULT (critic, issue 55): a token that is limited to a folder starts workflows of other folders, by a name that an
expression gives (written in the definition it is refused): the run acts for the token's member without its limits.
"""

import pytest
from rest_framework.test import APIClient

from accounts.principal import JobReach
from accounts.services import create_token
from runs.models import Run
from tests import factories as make
from tests.people import People

pytestmark = pytest.mark.django_db


def test_what_a_limited_token_starts_starts_nothing_beyond_its_folders():
    people = People()
    here, there = (make.FolderFactory(tenant=people.tenant(), name=name) for name in ("Here", "There"))
    node = {"id": "a", "type": "subworkflow", "params": {"workflow": "{{ input.w }}"}}
    for name, folder, nodes in (("parent", here, [node]), ("secret", there, ["x"])):
        version = make.VersionFactory(
            workflow__tenant=people.tenant(),
            workflow__folder=folder,
            workflow__draft_definition=make.graph(nodes, []) | {"name": name},
        )
    _, text = create_token(
        user=people.member("admin"),
        tenant=people.tenant(),
        role="operator",
        jobs=JobReach(folders=(here.pk,)),
    )
    one = APIClient()
    one.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    assert one.get("/api/v1/workflows/secret").status_code == 404
    started = one.post("/api/v1/runs", {"workflow": "parent", "input": {"w": "secret"}}, format="json")
    assert started.status_code == 201
    make.work("engine")
    make.work()
    assert not Run.unsafe_all_tenants.filter(version_id=version.pk).exists()
