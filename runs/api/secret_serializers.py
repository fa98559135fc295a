"""What routes of webhooks, in and out, give of their secrets."""

from typing import Any

from rest_framework import serializers


class SecretSerializer(serializers.Serializer[Any]):
    """A secret of a webhook, without the secret."""

    number = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(
        allow_null=True, help_text="null: it is valid until it is rotated."
    )
