"""What production settings refuse to start with."""

import os
import subprocess
import sys

import pytest

from config import hardness
from tests.serving import ROOT

GOOD = "q8Zr1VnY6tLk0WcXe4uSg7Hb2MdJo5PaQi9Tf3RxUy_CvN-BhKmDjEwGzOsAlIp"
HOSTS = ["handoff.example"]


def found(key=GOOD, old=(), hosts=HOSTS, **environ):
    return list(hardness.problems(key, old, hosts, environ))


def test_good_settings_have_no_problem():
    assert found(old=[GOOD[::-1]], HANDOFF_ADMIN_PASSWORD="correct horse battery") == []


@pytest.mark.parametrize(
    "key",
    [
        "",
        "short",
        "a" * 64,
        "abcdefghijklmnopqrst" * 4,
        "django-insecure-" + GOOD,
        "changeme" + GOOD,
        "your-secret-key-" + GOOD,
        "0123456789" * 6,
    ],
)
def test_a_key_that_can_be_guessed_is_refused(key):
    (problem,) = found(key)
    assert problem.startswith("HANDOFF_SECRET_KEY ")
    assert key not in problem or not key
    assert len(found(old=[key or "a"])) == 1


@pytest.mark.parametrize(
    "host", ["*", "*.example.org", ".org", ".", "..", ".co.uk", "https://handoff.example", "a/b", "handoff"]
)
def test_a_host_that_is_everybodys_or_none_is_refused(host):
    (problem,) = found(hosts=["handoff.example", host])
    assert problem.startswith("HANDOFF_HOSTS ")


@pytest.mark.parametrize("host", [".firm.example", "handoff.firm.example:8443", "[2001:db8::1]", "192.0.2.1"])
def test_a_host_of_ones_own_is_taken(host):
    assert found(hosts=[host]) == []


def test_no_host_and_a_weak_password_of_the_admin_are_refused():
    assert len(found(hosts=[])) == 1
    for weak in ("admin", "aaaaaaaaaaaaaaaa", "changeme-please", "password12345"):
        assert len(found(HANDOFF_ADMIN_PASSWORD=weak)) == 1


def test_production_does_not_start_with_them():
    environ = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings_production",
        "HANDOFF_SECRET_KEY": "a" * 64,
        "HANDOFF_HOSTS": "handoff.example",
    }
    refused = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode != 0
    assert "HANDOFF_SECRET_KEY is not random" in refused.stderr + refused.stdout


def test_only_tests_have_a_host_of_tests():
    shown = subprocess.run(
        [sys.executable, "-c", "from config import settings; print(settings.ALLOWED_HOSTS)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.strip() == "['127.0.0.1', 'localhost', '[::1]']"
