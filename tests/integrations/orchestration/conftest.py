"""Callers of the API, as for its own routes."""

from tests.api.conftest import anonymous, api, furnished, ours, people

__all__ = ["anonymous", "api", "furnished", "ours", "people"]
