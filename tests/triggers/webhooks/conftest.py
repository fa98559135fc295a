"""As the tests of the API: callers, tenants with one of everything."""

from tests.api.conftest import anonymous, api, furnished, ours, people

__all__ = ["anonymous", "api", "furnished", "ours", "people"]
