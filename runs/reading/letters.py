"""Searching dead letters, by the one grammar (`lib.search_grammar`)."""

from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet

from lib.refusals import Invalid
from lib.search_grammar import Fields, NotUnderstood, Term, parse
from runs.models import DeadLetter, Run
from runs.reading.queries import ids_of
from runs.reading.search_words import ALIASES

GRAMMAR = Fields(("workflow", "step", "code", "key"), ALIASES)


def found(
    tenant: int, letters: QuerySet[DeadLetter], text: str, field: str = "query"
) -> QuerySet[DeadLetter]:
    """Those of a tenant's dead letters that a search finds. Raises Invalid at the `field`."""
    try:
        for clause in parse(text, GRAMMAR):
            letters = letters.filter(reduce(or_, [_condition(tenant, term) for term in clause]))
    except NotUnderstood as fault:
        raise Invalid(str(fault), field=field) from None
    return letters


def _condition(tenant: int, term: Term) -> Q:
    if not term.name or term.compared != ":":
        raise NotUnderstood("Write workflow:claims, step:pay, code:timeout or key:INV-7.")
    runs = Run.objects.for_tenant(tenant)
    match term.name:
        case "workflow":
            fits = Q(run_id__in=runs.filter(workflow_id__in=ids_of(tenant, term.value)).values("pk"))
        case "key":
            fits = Q(run_id__in=runs.filter(business_key=term.value).values("pk"))
        case "step":
            fits = Q(node=term.value)
        case _:
            fits = Q(error__code=term.value)
    return ~fits if term.is_not else fits
