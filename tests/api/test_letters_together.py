"""Many dead letters are discarded or redriven by ids or by a search; those of others are not there."""

import pytest

from runs.models import HistoryEvent
from tests.web.test_letters_together import dead, open_letters

pytestmark = pytest.mark.django_db


def test_letters_of_other_tenants_and_folders_are_not_there(people):
    [letter] = dead(1, people.tenant())
    theirs = people.client("operator", tenant="theirs")
    answer = theirs.post(
        "/api/v1/dead-letters/discard", {"ids": [str(letter.pk)], "reason": "a"}, format="json"
    ).json()
    assert (answer["discarded"], [one["id"] for one in answer["refused"]]) == ([], [str(letter.pk)])
    assert open_letters() == 1


def test_over_rest_many_are_discarded_by_ids_or_by_a_search(api, people):
    letters = dead(2, people.tenant())
    first = api.post(
        "/api/v1/dead-letters/discard", {"ids": [str(letters[0].pk)], "reason": "a"}, format="json"
    )
    assert (first.status_code, first.json()) == (
        200,
        {"discarded": [str(letters[0].pk)], "refused": [], "left": 0},
    )
    rest = api.post(
        "/api/v1/dead-letters/discard", {"filter": {"query": "step:a -step:b"}, "reason": "b"}, format="json"
    )
    assert rest.json()["discarded"] == [str(letters[1].pk)]
    wrong = api.post("/api/v1/dead-letters/redrive", {"filter": {"query": "colour:red"}}, format="json")
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (400, "query")
    for body, field in (({"reason": "a"}, "ids"), ({"filter": {}}, "reason")):
        refused = api.post("/api/v1/dead-letters/discard", body, format="json")
        assert (refused.status_code, refused.json()["error"]["field"]) == (400, field)
    assert not HistoryEvent.unsafe_all_tenants.filter(type="RUN_REOPENED").exists()
