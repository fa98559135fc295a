"""The base of every view of the API."""

from collections.abc import Mapping
from typing import ClassVar

from rest_framework.views import APIView

from accounts.api.permissions import RequiresScope
from accounts.principal import Principal


class ApiView(APIView):
    """A view whose methods each name the scope that they need in `scopes`."""

    permission_classes = (RequiresScope,)
    scopes: ClassVar[Mapping[str, str]] = {}

    @property
    def principal(self) -> Principal:
        """Who is asking."""
        principal = self.request.auth
        assert isinstance(principal, Principal)  # noqa: S101 - RequiresScope let nobody else in
        return principal
