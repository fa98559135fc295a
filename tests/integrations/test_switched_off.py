"""Without its line in INSTALLED_APPS a protocol is gone, and the rest of Handoff works as before."""

import json
import os
import subprocess
import sys

import pytest

from tests.serving import ROOT

pytestmark = pytest.mark.processes

PROGRAM = """\
import json, sys
from config import settings
settings.INSTALLED_APPS = [app for app in settings.INSTALLED_APPS if app not in sys.argv]
import django
django.setup()
from django.core.management import call_command
from django.urls import get_resolver
from drf_spectacular.generators import SchemaGenerator
from integrations.grpc.services import offered
call_command("check", verbosity=0, fail_level="WARNING")
names = [name for name in get_resolver().reverse_dict if isinstance(name, str)]
paths = [*SchemaGenerator().get_schema(public=True)["paths"]]
print("\\n" + json.dumps([names, paths, [*offered()]]))
"""
ROCHALLOR, ORCHESTRATION = "integrations.rochallor", "integrations.orchestration"


def told(*without):
    """The names of routes, the paths in the schema and the services of features in a Handoff without these apps."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, *without],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return (set(part) for part in json.loads(done.stdout.splitlines()[-1]))


def test_a_protocol_is_switched_off_by_one_line():
    names, paths, services = told()
    of_rochallor = {name for name in names if name.startswith("s4-")}
    of_orchestration = {name for name in names if name.startswith("v1-")} - {"v1-unknown"}
    orchestrated = {path for path in paths if path.startswith(("/v1/activities/", "/v1/workflows"))}
    of_theirs = {path for path in paths if path.startswith("/v1/")} - orchestrated
    assert len(of_rochallor) == 15
    assert len(of_orchestration) == 7
    assert services == {"workflow.v1.WorkflowEngine"}

    without, their_paths, their_services = told(ROCHALLOR)
    assert (names - without, paths - their_paths, their_services) == (of_rochallor, of_theirs, set())
    without, their_paths, their_services = told(ORCHESTRATION)
    assert (names - without, paths - their_paths, services) == (of_orchestration, orchestrated, services)
    assert orchestrated
    assert of_theirs
