"""A text in a list of runs: the same for the API and the pages."""

import json
import re
from uuid import UUID

from django.db.models import F, Func, IntegerField, QuerySet, Sum, TextField, Window
from django.db.models.functions import Cast

from runs.models import Run

MOST = 5_000
"""Of more runs that hold the text, the newest."""
NEWEST_INPUTS, MOST_BYTES = 1_000, 2 * 1024 * 1024
"""Of inputs, which no index knows (one would cost every start), so many of the newest runs are read."""
_ID_START = re.compile(r"[0-9a-f]{4,32}")


def search(runs: QuerySet[Run], q: str) -> QuerySet[Run]:
    """Of these runs those whose business key holds `q`, whose id begins with it (from 4 hexadecimal digits on), or, of
    the newest, in whose input it stands.
    """
    found = [_newest(runs.filter(business_key__icontains=q), MOST), _with_input(runs, q)]
    digits = q.lower().replace("-", "")
    if _ID_START.fullmatch(digits):
        begins = runs.filter(id__gte=UUID(digits.ljust(32, "0")), id__lte=UUID(digits.ljust(32, "f")))
        found.append(_newest(begins, MOST))
    # A union, since an `or` would have every run looked at.
    return runs.filter(pk__in=found[0].union(*found[1:], all=True))


def _newest(runs: QuerySet[Run], most: int) -> QuerySet[Run, UUID]:
    return runs.order_by("-id").values_list("id", flat=True)[:most]


def _with_input(runs: QuerySet[Run], q: str) -> QuerySet[Run, UUID]:
    """The newest runs in whose input the text stands, as JSON writes it; the sizes of the inputs add up to a bound."""
    newest = runs.filter(pk__in=_newest(runs, NEWEST_INPUTS))
    size = Func("input", function="pg_column_size", output_field=IntegerField())
    read = newest.annotate(total=Window(Sum(size), order_by=F("id").desc()), words=Cast("input", TextField()))
    spelled = json.dumps(q, ensure_ascii=False)[1:-1]
    return read.filter(total__lte=MOST_BYTES, words__icontains=spelled).values_list("id", flat=True)
