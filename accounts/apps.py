"""Django's entry to accounts."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        from accounts.api import schema

        assert schema  # noqa: S101 - importing it tells drf-spectacular of our authentication
