"""What the list of runs takes and gives, what is done with many of them, and searches that people keep."""

from collections.abc import Callable
from typing import Any, TypeVar

from rest_framework import serializers

from engine.limits import WORKFLOW_NAME_CHARACTERS
from lib.api import fields
from lib.api.serializers import PageQuery, StrictSerializer, Verb
from runs.api.run_ids import RunId
from runs.api.serializers import RunSerializer
from runs.commands import bulk
from runs.limits import (
    BULK_RUNS,
    BUSINESS_KEY_CHARACTERS,
    FILTER_CHARACTERS,
    SEARCH_CHARACTERS,
    SEARCH_NAME_CHARACTERS,
    USERNAME_CHARACTERS,
)
from runs.reading.orders import NEWEST, ORDERS
from runs.reading.queries import FOR_PEOPLE, STUCK
from runs.reading.run_view import FILTERED, RUN_STATUSES
from runs.reading.unindexed import UNRESOLVED

LISTED_STATUSES = [*RUN_STATUSES, FOR_PEOPLE, UNRESOLVED, STUCK]
BULK_ACTIONS = list(bulk.VERBS)
ABLE, DONE, REFUSED = "able", "done", "refused"
BULK_ANSWERS = [ABLE, DONE, REFUSED]
_STATUS = (
    "Also WAITING_FOR_PEOPLE: a person is asked; UNRESOLVED: it failed, and nobody has dealt with it since; STUCK: a "
    "timer is a minute late, a step could have been begun five minutes ago, or nothing would move it."
)
_QUERY = (
    "A search as in the list: `status:failed or status:cancelled -by:me input.amount>1000`; other words are how a "
    "business key or an id begins, or stand in the key or the input."
)
_BY = "The username of who started it, their full name, or `me`."


S = TypeVar("S", bound=type[serializers.Serializer[Any]])


def by_columns(field: Callable[..., serializers.ChoiceField]) -> Callable[[S], S]:
    """Have a serializer take the columns by which runs can be filtered."""

    def with_columns(serializer: S) -> S:
        serializer._declared_fields = serializer._declared_fields | {
            name: field(column.options, required=False, help_text=column.label)
            for name, column in FILTERED.items()
        }
        return serializer

    return with_columns


@by_columns(serializers.ChoiceField)
class RunListQuery(PageQuery):
    """Which runs."""

    workflow = serializers.CharField(required=False, max_length=WORKFLOW_NAME_CHARACTERS)
    status = serializers.ChoiceField(LISTED_STATUSES, required=False, help_text=_STATUS)
    by = serializers.CharField(required=False, max_length=USERNAME_CHARACTERS, help_text=_BY)
    business_key = serializers.CharField(
        required=False, max_length=BUSINESS_KEY_CHARACTERS, trim_whitespace=False
    )
    created_after = fields.Moment(required=False)
    created_before = fields.Moment(required=False)
    test = serializers.BooleanField(
        required=False, default=False, help_text="Test runs, which are not listed otherwise."
    )
    query = serializers.CharField(required=False, max_length=FILTER_CHARACTERS, help_text=_QUERY)
    q = serializers.CharField(required=False, max_length=FILTER_CHARACTERS, help_text="The same as `query`.")
    filter = serializers.CharField(
        required=False, max_length=FILTER_CHARACTERS, help_text="The same as `query`."
    )
    order = serializers.ChoiceField(
        list(ORDERS),
        required=False,
        default=NEWEST,
        help_text="due: what is due first, the run or one of its open tasks; waiting: what has waited longest; both of "
        "the 2,000 oldest open runs that fit (`searched` says so where there are more); likely: what will probably "
        "end first; risk: what will likely miss its "
        "deadline; both of all open runs that fit, without a forecast last. Not with `q`.",
    )


class SearchedSerializer(serializers.Serializer[Any]):
    """How far a search went."""

    since = serializers.DateTimeField(required=False, help_text="It went back to runs started at this time.")
    rows = serializers.IntegerField(
        required=False, help_text="How many runs were searched for this page, where it ends for that."
    )
    runs = serializers.IntegerField(required=False, help_text="The former name of `rows`.")
    complete = serializers.BooleanField(help_text="Whether all runs were searched.")


class RunPageSerializer(serializers.Serializer[Any]):
    """A page of runs."""

    results = RunSerializer(many=True)
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    searched = SearchedSerializer(required=False, help_text="Without it the answer is complete.")


@by_columns(fields.OneOf)
class RunFilter(StrictSerializer):
    """Which runs, as in `GET /runs`."""

    workflow = fields.Text(required=False, max_length=WORKFLOW_NAME_CHARACTERS)
    status = fields.OneOf(LISTED_STATUSES, required=False, help_text=_STATUS)
    by = fields.Text(required=False, max_length=USERNAME_CHARACTERS, help_text=_BY)
    business_key = fields.Text(required=False, max_length=BUSINESS_KEY_CHARACTERS)
    created_after = fields.Moment(required=False)
    created_before = fields.Moment(required=False)
    test = fields.Flag(required=False, default=False)


class BulkRuns(Verb):
    """What to do, and with which runs: `ids`, or the newest that a `filter` finds and that allow it."""

    action = fields.OneOf(BULK_ACTIONS)
    ids = fields.Items(child=RunId(), required=False, max_length=BULK_RUNS)
    filter = RunFilter(required=False)
    compensate = fields.Flag(required=False, default=False, help_text="For `cancel`: undo what was done.")
    dry_run = fields.Flag(required=False, default=False, help_text="Only find out for which it is possible.")


class BulkRunSerializer(serializers.Serializer[Any]):
    """The result for one run."""

    id = serializers.UUIDField()
    result = serializers.ChoiceField(BULK_ANSWERS, help_text="able: it is possible (`dry_run`).")
    code = serializers.CharField(allow_null=True, help_text="Why it was refused.")
    message = serializers.CharField(allow_blank=True)


class BulkRunsSerializer(serializers.Serializer[Any]):
    """What became of each."""

    results = BulkRunSerializer(many=True)
    more = serializers.BooleanField(help_text="Whether a `filter` finds more than the 1,000 of one call.")
    bulk_job = serializers.UUIDField(allow_null=True, help_text="Keeps the results; null in a dry run.")


class ChangeRunSearch(Verb):
    """What changes; fields left out stay."""

    name = fields.Text(required=False, max_length=SEARCH_NAME_CHARACTERS)
    query = fields.Text(
        required=False,
        allow_blank=True,
        max_length=SEARCH_CHARACTERS,
        help_text="The query string of the list page: `workflow=claims&status=failed&columns=status.now`.",
    )
    group = fields.Text(
        required=False,
        allow_blank=True,
        max_length=150,
        help_text="A group of yours that sees it, too; empty: nobody.",
    )


class AddRunSearch(ChangeRunSearch):
    """A search to save."""

    name = fields.Text(max_length=SEARCH_NAME_CHARACTERS)


class RunSearchQuery(PageQuery):
    """Searches take no filters."""


class RunSearchSerializer(serializers.Serializer[Any]):
    """A saved search."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    query = serializers.CharField(allow_blank=True)
    group = serializers.CharField(allow_null=True, help_text="The group that sees it, too.")
    owner = serializers.CharField(help_text="Its owner, who alone may change it.")
    is_own = serializers.BooleanField(help_text="Whether it is yours.")
    fault = serializers.CharField(allow_null=True, help_text="Why the search can no longer be read.")
    created_at = serializers.DateTimeField()
