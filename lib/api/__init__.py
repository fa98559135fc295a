"""What views, serializers and clients of a REST API share."""

PREFIXES = ("/api/", "/v1/")
"""What the addresses of the API begin with: below them errors are JSON."""
