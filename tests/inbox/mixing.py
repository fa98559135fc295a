"""What the courses of people, tasks and time have in common that tests make up."""

from datetime import timedelta

from django.db import transaction
from hypothesis import HealthCheck, Phase, settings

from tasks_inbox.actions import absences
from tasks_inbox.duties import clock, settling


def tried(examples):
    """So many courses, each as it is made up."""
    slow = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    return settings(max_examples=examples, deadline=None, phases=[Phase.generate], suppress_health_check=slow)


def lives_through(world_of, course):
    """A world that a course goes through, sound at its end; nothing of it stays."""
    with transaction.atomic():
        world = world_of()
        for step in course:
            world.does(*step)
        world.ends()
        transaction.set_rollback(True)


def time_goes(seconds):
    """The verb of so many seconds, in which decisions count and deadlines come."""

    def go(world, who, at, outcome, other):
        world.clock.advance(seconds)
        settling.tick()
        clock.tick()

    return go


def go_away(world, who, at, outcome, other):
    """They are away for a day, and another stands in."""
    dates = {"starts_at": world.clock.now, "ends_at": world.clock.now + timedelta(days=1)}
    absences.add_rule(who, other, **dates)
