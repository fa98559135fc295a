"""The routes by which what is with somebody who leaves is handed over."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.roles import MEMBERS_MANAGE
from engine.limits import WORKFLOW_NAME_CHARACTERS
from lib.api import fields
from lib.api.serializers import StrictSerializer, Verb, body
from tasks_inbox.actions import handover
from tasks_inbox.actions.handover import Choice
from tasks_inbox.limits import HANDOVER_ITEMS
from tasks_inbox.ports import LeftItem
from tasks_inbox.reading import left

_KINDS = [kind.name for kind in left.kinds()]
LEFT_KINDS = [(one, one) for one in _KINDS]
LEFT_ACTIONS = [(one, one) for one in left.ACTIONS]
LEFT_ENDS = [(one, one) for one in handover.ENDS]


class HandOverChoice(StrictSerializer):
    """What becomes of one thing."""

    kind = fields.OneOf(_KINDS)
    id = fields.Text(max_length=WORKFLOW_NAME_CHARACTERS)
    action = fields.OneOf(left.ACTIONS)
    to = fields.Text(required=False, max_length=150, help_text="For `hand`: who gets it.")


class HandOver(Verb):
    """What becomes of what is with a member."""

    items = fields.Items(
        child=HandOverChoice(),
        required=False,
        max_length=HANDOVER_ITEMS,
        help_text="Left out: the first of the `actions` of each thing.",
    )
    to = fields.Text(required=False, max_length=150, help_text="Who gets what names nobody.")
    end = fields.OneOf(LEFT_ENDS, required=False, help_text="Deactivates or removes the member first.")


class LeftItemSerializer(serializers.Serializer[object]):
    """Something that is with a member, and what can be done with it; the first of the `actions` is proposed."""

    kind = serializers.ChoiceField(LEFT_KINDS)
    id = serializers.CharField()
    title = serializers.CharField()
    detail = serializers.CharField(help_text="How it is theirs, in words.")
    actions = serializers.ListField(child=serializers.ChoiceField(LEFT_ACTIONS))


class LeftSerializer(serializers.Serializer[object]):
    """What is with a member."""

    items = LeftItemSerializer(many=True)
    complete = serializers.BooleanField(help_text="Whether these are all; there are 100 of a kind at most.")


class HandedSerializer(serializers.Serializer[object]):
    """What became of one thing."""

    kind = serializers.ChoiceField(LEFT_KINDS)
    id = serializers.CharField()
    title = serializers.CharField()
    action = serializers.ChoiceField(LEFT_ACTIONS)
    to = serializers.CharField(allow_blank=True)
    done = serializers.BooleanField()
    code = serializers.CharField(allow_null=True, help_text="Why it was not done.")
    message = serializers.CharField(allow_blank=True)


class HandedOverSerializer(serializers.Serializer[object]):
    """The results, and what is with the member still."""

    results = HandedSerializer(many=True)
    items = LeftItemSerializer(many=True)
    complete = serializers.BooleanField()


class HandOverView(ApiView):
    """Handing over."""

    scopes = {"GET": MEMBERS_MANAGE, "POST": MEMBERS_MANAGE}
    # With a key all would be one transaction, which locks the runs of several tasks. Repeated, it does what is left.
    takes_idempotency_key = False

    @extend_schema(responses=LeftSerializer)
    def get(self, request: Request, username: str) -> Response:
        """What is with a member, or with somebody who was one, of the kinds that you may read."""
        return Response(_shown(handover.items_of(self.principal, username)))

    @extend_schema(request=HandOver, responses=HandedOverSerializer)
    def post(self, request: Request, username: str) -> Response:
        """Hands over, gives back, stops, revokes or ends what is with a member, each by itself: 200 with a result for
        each.
        """
        payload = body(HandOver, request)
        rows_of_choices = payload.pop("items", None)
        choices = None if rows_of_choices is None else [Choice(**one) for one in rows_of_choices]
        results = handover.hand_over(self.principal, username, choices, **payload)
        rows: list[dict[str, Any]] = [
            {"kind": one.item.kind, "id": one.item.id, "title": one.item.title, "action": one.action}
            | {"to": one.to, "done": one.code is None, "code": one.code, "message": one.message}
            for one in results
        ]
        return Response({"results": rows} | _shown(left.items_of(self.principal, username)))


def _shown(items: Sequence[LeftItem]) -> dict[str, Any]:
    names = ("kind", "id", "title", "detail", "actions")
    rows = [{name: getattr(one, name) for name in names} for one in items]
    return {"items": rows, "complete": left.is_complete(items)}
