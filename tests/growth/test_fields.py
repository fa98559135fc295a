"""No serializer of a request and no form takes more than its share for a text that is made to slow it down, in any of
its fields; a new one is here by itself.
"""

from collections.abc import Iterator
from inspect import isclass

import pytest
from django import forms
from django.http import QueryDict
from rest_framework import serializers

from lib.api.serializers import Query, StrictSerializer
from tests.growth.documents import value
from tests.growth.measuring import steep_in_mixtures
from tests.growth.walking import module_named, sources
from workflows.models import WorkflowVersion

pytestmark = pytest.mark.django_db

Class = type[object]
PACKAGES = (
    "accounts",
    "integrations",
    "lib",
    "operations",
    "runs",
    "tasks_inbox",
    "triggers",
    "workflows",
)


def classes(*kinds: Class) -> Iterator[tuple[str, Class]]:
    """Each class of the product of one of these kinds, by its name."""
    for name in sources():
        here = vars(module_named(name)) if name.partition(".")[0] in PACKAGES else {}
        for each in here.values():
            if isclass(each) and issubclass(each, kinds) and each.__module__ == name and each not in kinds:
                yield f"{name}.{each.__name__}", each


BODIES = dict(classes(StrictSerializer))
QUERIES = dict(classes(Query))
FORMS = dict(classes(forms.Form))
MORE = {
    "runs.web.forms.StepForm": {"was": {"a": 1}},
    "runs.web.forms.VersionForm": {"versions": [WorkflowVersion(number=1, note="a")]},
    "operations.bulk.moving.MoveForm": {"numbers": [1, 2]},
}


def sent(field: serializers.Field, text: str) -> list[object]:
    """What somebody may send for a field, whatever it wants: the text, and values in which it is."""
    if isinstance(field, serializers.ListSerializer | serializers.ListField):
        return [[text], [value(text)], text]
    return [text, value(text)]


@pytest.mark.parametrize("name", BODIES)
def test_a_body_grows_with_its_texts(name: str):
    fields = BODIES[name]().fields

    def read(text: str) -> None:
        for field in fields.values():
            for given in sent(field, text):
                BODIES[name](data={field.field_name: given}).is_valid()
        BODIES[name](data=dict.fromkeys([*fields, text], text)).is_valid()

    assert steep_in_mixtures(read, 4_000) == {}


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_grows_with_its_texts(name: str):
    def read(text: str) -> None:
        for key in [*QUERIES[name]().fields, text]:
            query = QueryDict(mutable=True)
            query[key] = text
            QUERIES[name](data=query).is_valid()

    assert steep_in_mixtures(read, 4_000) == {}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_grows_with_its_texts(name: str):
    more = MORE.get(name, {})

    def read(text: str) -> None:
        posted = QueryDict(mutable=True)
        posted.update(dict.fromkeys(FORMS[name](posted, **more).fields, text))
        FORMS[name](posted, **more).is_valid()

    assert steep_in_mixtures(read, 4_000) == {}
    read("a")


def test_the_walk_finds_what_requests_are_read_by():
    assert len(BODIES) > 30
    assert "runs.api.serializers.BatchItem" in BODIES
    assert len(QUERIES) > 5
    assert set(FORMS) >= {"accounts.forms.LoginForm", "runs.web.forms.StartForm"}
