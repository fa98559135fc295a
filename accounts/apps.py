"""Django's entry to accounts."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Accounts"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from accounts import sessions
        from accounts.api import schema

        # Whatever way somebody is logged in.
        user_logged_in.connect(sessions.begin, dispatch_uid="accounts.sessions.begin")

        assert schema  # noqa: S101 - importing it tells drf-spectacular of our authentication
