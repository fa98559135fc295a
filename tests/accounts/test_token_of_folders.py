"""A token that is limited to folders does nothing that is about the tenant as a whole."""

import pytest
from rest_framework.test import APIClient

from accounts.principal import JobReach
from accounts.services import create_token
from tests import factories as make
from tests.people import People

pytestmark = pytest.mark.django_db


def test_a_limited_token_manages_no_members_and_no_folders_beyond_its_own(db):
    people = People()
    here, there = (make.FolderFactory(tenant=people.tenant(), name=name) for name in ("Here", "There"))
    _, text = create_token(
        user=people.member("admin"),
        tenant=people.tenant(),
        role="admin",
        jobs=JobReach(("pay*",), (here.pk,)),
    )
    one = APIClient()
    one.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    made = one.post(
        "/api/v1/members", {"username": "evil", "role": "admin", "email": "e@x.org"}, format="json"
    )
    renamed = one.patch(f"/api/v1/folders/{there.pk}", {"name": "Taken"}, format="json")
    assert (made.status_code, renamed.status_code) == (403, 403)
