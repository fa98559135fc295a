"""The table of doors is what there is: no route, socket, call or command is in no row."""

import pytest
from django.core.management import get_commands

from config.websockets import ROUTES
from tests.api import limits
from tests.api.authorisation_matrix import MATRIX


def cells():
    return {name for row in limits.rows() for part in row[-1].split(", ") for name in part.split()}


def test_the_documentation_has_the_table():
    assert limits.documented() == limits.table(), "run `python -m tests.api.limits`"


def test_every_door_is_in_the_table():
    doors = {name for name, route in MATRIX.items() if route.methods}
    doors |= {str(route.name) for route in ROUTES} | limits.all_calls() | set(limits.commands())
    assert doors - cells() == set()


def test_every_command_is_ours_or_django_s():
    apps = {app for app in get_commands().values() if not app.startswith(("django.", "drf_"))}
    assert apps <= {*limits.OURS, "daphne", "channels", "whitenoise.runserver_nostatic", "rest_framework"}


@pytest.mark.parametrize("known", [limits.MUCH, limits.OFTEN, limits.WHOSE])
def test_no_limit_is_of_a_route_that_is_gone(known):
    assert known.keys() <= MATRIX.keys()
