"""What the index of searchable fields finds, and whether no other runs can fit (`runs/maintenance/input_index.py`)."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from django.db.models import Q, QuerySet

from lib.search_keys import KEY_CHARACTERS, text_of
from runs.limits import INDEX_HITS, INDEX_NEWS
from runs.models import InputField, InputIndex, Run
from runs.reading.search_words import InputTest

_FIRST = UUID(int=0)


class Found(NamedTuple):
    """Runs that may fit, each to be tested; `is_covered`: no other run can."""

    runs: Sequence[UUID] = ()
    is_covered: bool = False


NOTHING = Found()


def find(tenant: int, runs: QuerySet[Run], workflow: int | None, tests: Sequence[InputTest]) -> Found:
    """What the index finds for one of these tests, all of which must hold. `runs`: those that fit otherwise, of one
    `workflow` where it is named: only then all that have the field are known to be in the index.
    """
    hits = [ids for one in tests if (ids := _hits(tenant, one)) is not None]
    best = min(hits, key=len, default=None)
    if workflow is None:
        return NOTHING if best is None else Found(best)
    index = InputIndex.objects.for_tenant(tenant).filter(pk=workflow, low=_FIRST).first()
    names = set() if index is None else set(index.paths)
    covered = [ids for one in tests if one.name in names and (ids := _hits(tenant, one)) is not None]
    if index is None or not covered:
        return NOTHING if best is None else Found(best)
    ids = min(covered, key=len)
    newer = list(
        runs.filter(id__gte=index.top).order_by("-id").values_list("pk", flat=True)[: INDEX_NEWS + 1]
    )
    return Found([*ids, *newer[:INDEX_NEWS]], len(newer) <= INDEX_NEWS)


def _hits(tenant: int, test: InputTest) -> list[UUID] | None:
    """The runs that the index has for a test; None where they are too many."""
    rows = InputField.objects.for_tenant(tenant).filter(_condition(test), path=test.name)
    ids = list(rows.order_by().values_list("run_id", flat=True).distinct()[: INDEX_HITS + 1])
    return None if len(ids) > INDEX_HITS else ids


def _condition(test: InputTest) -> Q:
    """What the keys of a value that passes the test have; some others have it, too."""
    number, text = test.number, test.value[:KEY_CHARACTERS]
    if test.compared == ":":
        return Q(text__in={text, *([text_of(number)[:KEY_CHARACTERS]] if number is not None else [])})
    if number is not None:
        # Rounded as those of the index are: what is greater is not less then.
        return Q(**{"number__gte" if test.compared.startswith(">") else "number__lte": float(number)})
    # Of a long text the index has the beginning, which is as great as another one's.
    return Q(text__gte=text) if test.compared.startswith(">") else Q(text__lte=text)
