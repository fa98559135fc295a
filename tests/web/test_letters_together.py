"""Dead letters are retried or discarded together: selected or all that match, with a reason, and with a result."""

import re

import pytest

from runs.commands import dead_letters
from runs.models import DeadLetter
from tests import factories as make

pytestmark = pytest.mark.django_db

PAGE, TOGETHER = "/operations/dead-letters", "/operations/dead-letters/together"


def dead(count=1, tenant=None, **node):
    """Open dead letters, one for each run."""
    make.start(make.graph([{"id": "a", "retry": "none", **node}], []), *[{}] * count, tenant=tenant)
    make.fail(*make.claimed())
    return list(DeadLetter.unsafe_all_tenants.filter(resolution=None).order_by("-id")[:count])


@pytest.fixture
def operator(client):
    client.force_login(make.a_member("olga", "operator"))
    return client


def fields_of(page):
    """The hidden fields of a page's form."""
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page)
    return {name: value for name, value in hidden if name != "csrfmiddlewaretoken"}


def open_letters():
    return DeadLetter.unsafe_all_tenants.filter(resolution=None).count()


def test_the_selected_ones_are_reviewed_and_then_discarded_with_a_reason(operator):
    first, second, third = dead(3)
    page = operator.get(PAGE).text
    assert page.count('name="ids"') == 3
    assert page.count('aria-label="Select a">') == 3
    review = operator.post(TOGETHER, {"verb": "discard", "ids": [first.pk, second.pk]}).text
    assert "Discard 2 dead letters" in review
    assert open_letters() == 3

    chosen = {"verb": "discard", "letters": f"{first.pk},{second.pk}", "confirm": "1"}
    refused = operator.post(TOGETHER, chosen)
    assert (refused.status_code, open_letters()) == (422, 3)
    assert "Say why" in refused.text
    done = operator.post(TOGETHER, chosen | {"reason": "settled by phone"}).text
    assert "2 of 2 discarded" in done
    assert (
        DeadLetter.unsafe_all_tenants.filter(resolution="discarded", reason="settled by phone").count() == 2
    )
    # Who does it a second time is told what has become of them.
    again = operator.post(TOGETHER, chosen | {"reason": "once more"}).text
    assert "0 of 2 discarded" in again
    assert "already discarded" in again
    assert third.pk in set(DeadLetter.unsafe_all_tenants.filter(resolution=None).values_list("pk", flat=True))


def test_all_that_match_are_retried_and_others_stay(operator):
    [letter] = dead(1)
    other = dead(1, type="text.clean")[0]
    workflow = make.run(letter.run_id).version.workflow.name
    address = f"{TOGETHER}?query=workflow:{workflow}"
    review = operator.post(address, {"verb": "retry", "all": "1"}).text
    assert "Try 1 dead letter again" in review
    result = operator.post(address, {"verb": "retry", "letters": str(letter.pk), "confirm": "1"}).text
    assert "1 of 1 tried again" in result
    assert set(DeadLetter.unsafe_all_tenants.filter(resolution=None)) == {other}
    assert make.run(letter.run_id).status == "RUNNING"


def test_of_more_than_are_taken_at_once_the_others_are_offered_next(operator, monkeypatch):
    monkeypatch.setattr(dead_letters, "REDRIVEN_STEPS", 2)
    dead(3)
    review = operator.post(TOGETHER, {"verb": "discard", "all": "1"}).text
    assert "1 more match" in review
    result = operator.post(TOGETHER, fields_of(review) | {"reason": "known", "confirm": "1"}).text
    assert "2 of 2 discarded" in result
    assert open_letters() == 1
    next_review = operator.post(TOGETHER, fields_of(result)).text
    assert "Discard 1 dead letter" in next_review
    last = operator.post(TOGETHER, fields_of(next_review) | {"reason": "known", "confirm": "1"}).text
    assert "1 of 1 discarded" in last
    assert "Go on with the next ones" not in last
    assert open_letters() == 0


@pytest.mark.parametrize("role", ["viewer", "approver"])
def test_who_may_not_operate_selects_nothing(client, role):
    [letter] = dead()
    client.force_login(make.a_member("vera", role))
    page = client.get(PAGE)
    assert 'name="ids"' not in page.text
    assert client.post(TOGETHER, {"verb": "discard", "ids": [letter.pk]}).status_code == 403
    assert open_letters() == 1


def test_nothing_selected_and_a_search_that_can_not_be_read_say_so(operator):
    dead()
    for address, fields in ((TOGETHER, {}), (f"{TOGETHER}?query=colour:red", {"all": "1"})):
        answer = operator.post(address, {"verb": "discard", **fields}, follow=True)
        assert 'role="alert"' in answer.text or "No dead letter is selected" in answer.text
    assert open_letters() == 1


def test_each_step_that_asks_an_operator_is_tried_again_by_its_own_letter(operator):
    """Two steps of one run ask at once, and another one of it has failed beside them."""
    ask = {"retry": "none", "on_error": "ask"}
    definition = make.graph([{"id": "a", **ask}, {"id": "b", **ask}], [])
    (run,) = make.start(definition)
    make.fail(*make.claimed())
    letters = list(DeadLetter.unsafe_all_tenants.filter(run_id=run, resolution=None))
    assert len(letters) == 2

    chosen = {"verb": "retry", "letters": ",".join(str(letter.pk) for letter in letters), "confirm": "1"}
    assert "2 of 2 tried again" in operator.post(TOGETHER, chosen).text
    assert make.statuses(run) == {"a": "QUEUED", "b": "QUEUED"}
    assert open_letters() == 0
