"""The three templates for compliance, each from its start to its end over REST by people of different roles."""

import pytest

from accounts.models import Membership
from tasks_inbox.duties.clock import tick
from tests import factories as make
from tests.inbox.asking import member
from tests.inbox.persons import PASSWORD, Person, template
from workflows.checking.check import check
from workflows.versions import lifecycle

DAY = 86_400
DESCRIBED = {
    "legal_name": "Nordlicht Hosting GmbH",
    "country": "Germany",
    "contact": "sales@example.org",
    "yearly_amount": 12_000,
    "personal_data": True,
}
CHECKED = {"register_number": "HRB 1234", "sanctions_checked": True}


def taken(name):
    """The template, made by an admin; gives whether it could be published."""
    return lifecycle.create_from_example(member("boss", "admin"), template(name))[1]


def problems(name):
    found = check(template(name).definition, tenant=make.a_tenant().pk).problems
    return [(one.code, one.node) for one in found]


def test_a_vendor_is_described_checked_and_approved_by_three_people():
    req, eve, bob = Person("req", "operator"), Person("eve"), Person("bob")
    assert taken("vendor_onboarding")
    run = req.starts("vendor_onboarding")
    assert (req.is_offered(run), bob.is_offered(run)) == (["describe"], [])
    assert req.decides(run, "submitted", data={"legal_name": "N"}) == 400
    assert req.decides(run, "submitted", data=DESCRIBED) == 200
    assert (req.is_offered(run), bob.is_offered(run)) == ([], ["check"])
    assert req.decides(run, "passed", data=CHECKED) == 403
    # A box that an outcome needs must be checked.
    assert bob.decides(run, "passed", data={**CHECKED, "sanctions_checked": False}) == 400
    assert bob.decides(run, "passed", data=CHECKED) == 200
    assert [one.decides(run, "approved", password=PASSWORD) for one in (req, bob)] == [403, 403]
    assert [eve.decides(run, "approved", password=given) for given in (None, "wrong")] == [400, 400]
    assert eve.decides(run, "approved", password=PASSWORD) == 200
    said = eve.sees(run)
    assert said["status"] == "COMPLETED"
    assert said["output"] == {
        "vendor": "Nordlicht Hosting GmbH",
        "usable": True,
        "asked_by": "req",
        "checked_by": "bob",
        "approved_by": "eve",
    }


def test_an_admin_who_asks_for_a_vendor_decides_nothing_of_it_either():
    boss, bob = Person("boss", "admin"), Person("bob")
    assert taken("vendor_onboarding")
    run = boss.starts("vendor_onboarding")
    # What no outcome needs may be left out.
    boss.decides(
        run, "submitted", data={key: value for key, value in DESCRIBED.items() if key != "personal_data"}
    )
    assert boss.decides(run, "failed", comment="No.") == 403
    assert bob.decides(run, "failed", comment="It is not in the register.") == 200
    assert boss.sees(run)["output"] == {
        "vendor": "Nordlicht Hosting GmbH",
        "usable": False,
        "why": "It is not in the register.",
    }


def test_a_vendor_that_is_withdrawn_asks_nobody_else():
    req = Person("req", "operator")
    Person("bob"), Person("eve")
    assert taken("vendor_onboarding")
    run = req.starts("vendor_onboarding")
    assert req.decides(run, "withdrawn", data={}, comment="We have one.") == 200
    assert req.sees(run)["output"]["why"] == "We have one."


def test_access_is_granted_by_two_of_three_and_refused_by_two():
    req, boss, eve, bob = Person("req", "author"), Person("boss", "admin"), Person("eve"), Person("bob")
    assert taken("access_request")
    run = req.starts("access_request")
    assert [req.decides(run, "approved"), eve.decides(run, "approved")] == [403, 200]
    assert eve.sees(run)["status"] != "COMPLETED"
    assert bob.decides(run, "rejected", comment="Too much.") == 200
    assert boss.decides(run, "approved") == 200
    assert eve.sees(run)["output"] == {
        "person": "Ada Lovelace",
        "system": "Payroll",
        "granted": True,
        "days": 90,
        "granted_by": ["eve", "boss"],
    }
    run = req.starts("access_request")
    for one in (eve, bob):
        assert one.decides(run, "rejected", comment="Too much.") == 200
    assert eve.sees(run)["output"]["granted"] is False


def test_an_approver_who_asks_for_access_does_not_count():
    boss, eve, bob = Person("boss", "admin"), Person("eve"), Person("bob")
    assert taken("access_request")
    run = boss.starts("access_request")
    assert [one.decides(run, "approved") for one in (boss, eve, bob)] == [403, 200, 200]
    assert eve.sees(run)["output"]["granted_by"] == ["eve", "bob"]


def test_access_that_nobody_decides_is_refused_after_three_days_and_asks_operators_before(clock):
    req, oli = Person("req", "author"), Person("oli", "operator")
    Person("eve"), Person("bob")
    assert taken("access_request")
    run = req.starts("access_request")
    assert oli.is_offered(run) == []
    clock.advance(2 * DAY)
    tick()
    assert oli.is_offered(run) == ["decide"]
    clock.advance(DAY)
    tick()
    make.work()
    told = req.sees(run)["output"]
    assert (told["granted"], told["refused_by"]) == (False, "the deadline")


def test_everybody_named_confirms_a_policy():
    boss, eve, bob = Person("boss", "admin"), Person("eve"), Person("bob")
    assert taken("policy_attestation")
    run = boss.starts("policy_attestation", people=["eve", "bob"])
    assert [one.is_offered(run) for one in (boss, eve)] == [[], ["confirm"]]
    assert eve.decides(run, "confirmed", data={"read": False}) == 400
    assert [one.decides(run, "confirmed", data={"read": True}) for one in (eve, bob)] == [200, 200]
    assert boss.sees(run)["output"] == {
        "policy": "Code of conduct 2027",
        "asked": ["eve", "bob"],
        "confirmed_by_all": True,
        "confirmed": ["eve", "bob"],
        "settled_by": "",
        "how": "",
    }


def test_who_does_not_confirm_in_a_week_is_followed_up_by_the_manager_of_who_asked(clock):
    req, eve, bob, lea = Person("req", "operator"), Person("eve"), Person("bob"), Person("lea")
    seats = Membership.objects.for_tenant(make.a_tenant().pk)
    seats.filter(user__username="req").update(manager=seats.get(user__username="lea"))
    assert taken("policy_attestation")
    run = req.starts("policy_attestation", people=["eve", "bob"])
    eve.decides(run, "confirmed", data={"read": True})
    clock.advance(7 * DAY)
    tick()
    make.work()
    assert [one.is_offered(run) for one in (req, bob, lea)] == [[], [], ["follow_up"]]
    assert lea.decides(run, "settled", comment="Bob was ill and has signed it on paper.") == 200
    told = req.sees(run)["output"]
    assert (told["confirmed_by_all"], told["confirmed"], told["settled_by"]) == (False, ["eve"], "lea")


def test_a_template_is_a_draft_until_enough_people_may_decide():
    Person("boss", "admin")
    assert [taken(name) for name in ("vendor_onboarding", "access_request")] == [False, False]
    assert problems("vendor_onboarding") == [
        ("requester_may_not_decide", "check"),
        ("four_eyes_out_of_reach", "approve"),
    ]
    assert problems("access_request") == [("quorum_out_of_reach", "decide")]
    Person("bob")
    # Whoever starts it here is one of the two; a webhook could.
    assert problems("vendor_onboarding") == [("requester_may_not_decide", "approve")]
    assert problems("access_request") == [("requester_may_not_decide", "decide")]
    boss = member("boss", "admin")
    for name in ("vendor_onboarding", "access_request"):
        assert lifecycle.publish(boss, name).created
    Person("eve")
    assert [problems(name) for name in ("vendor_onboarding", "access_request")] == [[], []]


def test_where_others_start_runs_two_are_enough():
    Person("boss", "admin"), Person("bob"), Person("ada", "author")
    assert [problems(name) for name in ("vendor_onboarding", "access_request")] == [[], []]


@pytest.mark.parametrize("name", ["vendor_onboarding", "access_request", "policy_attestation"])
def test_each_has_deadlines_instructions_facts_and_notes(name):
    example = template(name)
    asking = [node["params"] for node in example.definition["nodes"] if node["type"].startswith("human.")]
    for params in asking:
        assert params["title"].endswith("?")
        assert params.keys() >= {
            "instructions",
            "facts",
            "candidates",
            "outcomes",
            "due_seconds",
            "reminders",
        }
    assert len(example.layout["notes"]) == 2
