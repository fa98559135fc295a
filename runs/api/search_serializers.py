"""What the list of runs gives: a page of them, and how far a search has looked."""

from typing import Any

from rest_framework import serializers

from runs.api.serializers import RunSerializer


class SearchedSerializer(serializers.Serializer[Any]):
    """How far a search has looked."""

    since = serializers.DateTimeField(required=False, help_text="Back to runs that were started then.")
    runs = serializers.IntegerField(required=False, help_text="Through the inputs of so many, on this page.")
    complete = serializers.BooleanField(help_text="Whether no runs are left to look at.")


class RunPageSerializer(serializers.Serializer[Any]):
    """A page of runs."""

    results = RunSerializer(many=True)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    searched = SearchedSerializer(required=False, help_text="With `q`.")
