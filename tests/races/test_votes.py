"""Several who decide at the same moment: each counts once, and the run goes on once (SECURITY I11)."""

from lib.refusals import Conflict
from tests import factories as make
from tests.inbox.asking import approval, asked, decide, member
from tests.races.staging import Actor, blocked, holding


def test_two_who_complete_a_quorum_at_the_same_moment_both_count_and_the_run_goes_on_once(rounds):
    ann, bob = member("ann"), member("bob")
    for _ in rounds:
        task = asked(approval(quorum=2))
        with holding(lambda task=task: decide(ann, task), before="note_vote"):
            second = blocked(lambda task=task: decide(bob, task))
        assert second.end().decided_by == "bob"
        make.work()
        assert make.statuses(task.run_id) == {"ask": "COMPLETED", "yes": "COMPLETED", "no": "SKIPPED"}
        decisions = make.steps(task.run_id)["ask"].output["decisions"]
        assert [one["by"] for one in decisions] == ["ann", "bob"]


def test_fifty_who_vote_at_once_are_as_many_as_are_needed(rounds):
    people = [member(f"p{n}") for n in range(50)]
    for _ in rounds[:1]:
        task = asked(approval(quorum=3))
        actors = [Actor(lambda who=who, task=task: decide(who, task)) for who in people]
        won, refused = [], []
        for actor in actors:
            try:
                won.append(actor.end())
            except Conflict as error:
                refused.append(error.code)
        assert (len(won), refused) == (3, ["decided_already"] * 47)
        make.work()
        assert len(make.steps(task.run_id)["ask"].output["decisions"]) == 3
