"""The shapes of a container's items over REST."""

from typing import Any

from rest_framework import serializers

from lib.api import fields
from lib.api.serializers import Query
from runs.api.serializers import StepSerializer
from runs.reading.run_view import STEP_STATUSES


class ItemsQuery(Query):
    """Which items of a container."""

    node = serializers.CharField(max_length=256)
    status = serializers.ChoiceField(STEP_STATUSES, required=False)
    after = fields.Digits(required=False, min_value=0, max_value=2**31 - 1, help_text="After this place.")
    limit = fields.Digits(required=False, min_value=1, max_value=200, default=50)


class ItemPageSerializer(serializers.Serializer[Any]):
    """Items of a container in their order; `after`: where the next page begins, null on the last page."""

    counts = serializers.DictField(
        child=serializers.IntegerField(), help_text="By status, of those that have begun."
    )
    results = StepSerializer(many=True)
    after = serializers.IntegerField(allow_null=True)
