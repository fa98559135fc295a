"""Tenants, members and their tokens, as tests need them."""

from rest_framework.test import APIClient

from accounts.models import Tenant, User
from accounts.principal import Principal
from accounts.services import authenticate_token, create_token
from tests import factories as make


class People:
    """Makes who is asked for once: `people.client("viewer")`, `people.principal("admin", tenant="theirs")`."""

    def __init__(self) -> None:
        self._tokens = {}

    def tenant(self, slug: str = "ours") -> Tenant:
        return make.TenantFactory(slug=slug, name=slug)

    def member(self, role: str, tenant: str = "ours") -> User:
        seat = make.MembershipFactory(
            user__username=f"{role}-of-{tenant}", tenant=self.tenant(tenant), role=role
        )
        return seat.user

    def token(self, role: str = "admin", tenant: str = "ours", scopes: frozenset[str] | None = None) -> str:
        """The text of a token of this role; a worker's acts for the admin."""
        key = (role, tenant, scopes)
        if key not in self._tokens:
            user = self.member("admin" if role == "worker" else role, tenant)
            self._tokens[key] = create_token(user=user, tenant=self.tenant(tenant), role=role, scopes=scopes)[
                1
            ]
        return self._tokens[key]

    def principal(self, role: str = "admin", tenant: str = "ours") -> Principal:
        return authenticate_token(self.token(role, tenant))

    def client(
        self, role: str = "admin", tenant: str = "ours", scopes: frozenset[str] | None = None
    ) -> APIClient:
        """A client that shows such a token."""
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {self.token(role, tenant, scopes)}")
        return client
