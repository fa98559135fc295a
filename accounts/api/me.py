"""The routes of what people set for themselves."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import preferences
from accounts.api import serializers as s
from accounts.api.base import ApiView
from accounts.principal import Forbidden
from accounts.roles import TASKS_READ
from lib.api.serializers import body


class MeView(ApiView):
    """Who asks: what they are called, and how times and numbers are written for them."""

    scopes = {"GET": TASKS_READ, "PATCH": TASKS_READ}

    @extend_schema(responses=s.MeSerializer)
    def get(self, request: Request) -> Response:
        """You, with your time zone and language on pages."""
        return Response(preferences.person_of(self.principal))

    @extend_schema(request=s.ChangeMe, responses=s.MeSerializer)
    def patch(self, request: Request) -> Response:
        """Changes the given fields, only for yourself."""
        payload = body(s.ChangeMe, request)
        if "name" in payload and self.principal.via != "session":
            # It stands in evidence: a token that may only read tasks must not change it.
            raise Forbidden("What you are called is changed on the page of your settings.", field="name")
        return Response(preferences.change_person(self.principal, **payload))


class NotificationsView(ApiView):
    """Of which tasks who asks gets mail."""

    scopes = {"GET": TASKS_READ, "PATCH": TASKS_READ}

    @extend_schema(responses=s.NotificationsSerializer)
    def get(self, request: Request) -> Response:
        """Which tasks you get mail about, and at which address."""
        return Response(preferences.notifications_of(self.principal))

    @extend_schema(request=s.ChangeNotifications, responses=s.NotificationsSerializer)
    def patch(self, request: Request) -> Response:
        """Changes the given fields, only for yourself."""
        payload = body(s.ChangeNotifications, request)
        if "email" in payload and self.principal.via != "session":
            # Links to set a password are sent to it: a token that may only read tasks must not become its user.
            raise Forbidden("Your address is changed on the page of your notifications.", field="email")
        return Response(preferences.change_notifications(self.principal, **payload))
