"""Bulk jobs of dead letters: the steps are tried again, or the letters discarded, each with its own result."""

from collections.abc import Collection, Mapping
from uuid import UUID

from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE
from engine.catalogue import Json
from lib.refusals import Invalid, Missing
from operations.bulk import service, store
from operations.bulk.limits import CHOSEN_ITEMS, JOB_RUNS
from operations.bulk.models import ABLE, DISCARD, DONE, LETTER_VERBS, RETRY, BulkItem, BulkJob
from operations.bulk.service import Terms
from operations.bulk.store import Item
from runs.commands import dead_letters
from runs.commands.reassigning import Taker
from runs.models import DeadLetter
from runs.reading import queries

_CHECKS = {RETRY: dead_letters.check_redrive, DISCARD: dead_letters.check_open}


def begin_letters(
    who: Principal,
    verb: str,
    *,
    query: str = "",
    ids: Collection[UUID] | None = None,
    filters: Mapping[str, Json] | None = None,
    dry_run: bool = False,
    reason: str = "",
    is_partial: bool = False,
) -> tuple[BulkJob, int]:
    """Do this, in the background, to all open dead letters that fit of runs that they may operate, or to those that
    `ids` names; or only look, with `dry_run`. Gives the job, and how many letters fit and have no item in it: none,
    unless `is_partial` has the job take the oldest `JOB_RUNS`.

    Raises Forbidden, and Invalid for a `query` that can't be read, too many letters and a verb that there is not.
    """
    who.require(RUNS_OPERATE)
    if verb not in LETTER_VERBS:
        raise Invalid(f"This must be one of {', '.join(LETTER_VERBS)}.", code="unknown_verb", field="verb")
    if ids is None:
        rows = dead_letters.open_letters(who, query=query, **filters or {})
    else:
        if len(ids) > CHOSEN_ITEMS:
            raise Invalid(f"At most {CHOSEN_ITEMS:,} are accepted at once.", code="too_many", field="ids")
        rows = dead_letters.operable_letters(who).filter(pk__in=ids)
    pairs = list(rows.values_list("run_id", "pk")[: JOB_RUNS + 1])
    left = 0
    if len(pairs) > JOB_RUNS:
        if not is_partial:
            message = f"This finds more than {JOB_RUNS:,} dead letters: search for fewer."
            raise Invalid(message, code="too_many", field="query")
        pairs = pairs[:JOB_RUNS]
        left = rows.exclude(pk__lte=pairs[-1][1]).count()
    details = {**(filters or {}), "all": ids is None and not filters}
    terms = Terms(verb, query, None, None, Taker(), dry_run=dry_run, reason=reason, terms=details)
    run_ids, letter_ids = [run for run, _ in pairs], [letter for _, letter in pairs]
    return service.begin_terms(who, run_ids, terms, targets=letter_ids), left


def do_letter(who: Principal, item: Item) -> None:
    """Do the verb of a job to one dead letter, or find out whether it can be done. Raises Missing and RunRefused."""
    letter = queries.dead_letters_of(item.tenant_id).filter(pk=str(item.target)).first()
    if letter is None:
        raise Missing("There is no such dead letter.")
    if item.dry_run:
        _CHECKS[item.verb](who, letter)
        store.end_item(item.id, ABLE)
        return
    if item.verb == RETRY and _went_on(item, letter):
        store.end_item(item.id, DONE, message="Its run was resumed with another of its dead letters.")
        return
    does = dead_letters.redrive if item.verb == RETRY else dead_letters.discard_each
    for refusal in does(who, [letter], reason=item.reason).refused.values():
        raise refusal
    store.end_item(item.id, DONE)


def _went_on(item: Item, letter: DeadLetter) -> bool:
    """Whether this job has resumed the run already, by another letter of it."""
    if letter.resolution != "redriven":
        return False
    items = BulkItem.objects.for_tenant(item.tenant_id).filter(job_id=item.job, run_id=item.run)
    return items.filter(target_id__isnull=False, result=DONE).exists()
