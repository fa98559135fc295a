"""`q` in a list of runs."""

import re
from uuid import UUID

from django.db.models import Q, QuerySet

from runs.models import Run

_ID_START = re.compile(r"[0-9a-f]{4,32}")


def search(runs: QuerySet[Run], q: str) -> QuerySet[Run]:
    """The runs whose business key holds `q`, or whose id begins with it (from 4 hexadecimal digits on)."""
    found = Q(business_key__icontains=q)
    digits = q.lower().replace("-", "")
    if _ID_START.fullmatch(digits):
        found |= Q(id__gte=UUID(digits.ljust(32, "0")), id__lte=UUID(digits.ljust(32, "f")))
    return runs.filter(found)
