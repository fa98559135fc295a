"""A webhook as it is served, with the sender that docs/api.md shows, typed into a shell as it stands."""

import http.client
import json
import re
import subprocess
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from runs.models import Signal
from tests.api.hooks import ORDER, SIGNAL, publish
from tests.people import People
from tests.serving import site
from tests.webhooks import signed

__all__ = ["site"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]

DOCS = (Path(__file__).resolve().parents[3] / "docs" / "api.md").read_text()
SENDER = re.search(r"<!-- sender.*?```sh\n(.*?)```", DOCS, re.S)[1]


@pytest.fixture
def hook(db):
    """A webhook to a workflow with an open run of order o-1."""
    api = People().client("admin")
    publish(api, ORDER)
    assert api.post("/api/v1/runs", {"workflow": "order", "input": {"order": "o-1"}}).status_code == 201
    body = {"name": "shop", "workflow": "order", "action": "signal", "mapping": SIGNAL}
    return api.post("/api/v1/webhooks", body).json()


def test_the_sender_of_the_docs_is_heard_once(site, hook):
    url = hook["url"].replace("http://testserver", site)
    told = [
        subprocess.run(
            ["bash", "-euo", "pipefail", "-c", SENDER],
            env={"PATH": "/usr/bin:/bin", "URL": url, "SECRET": hook["secret"], "no_proxy": "*"},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        for _ in range(2)
    ]
    answers = [json.loads(one.stdout) for one in told]
    assert [answer["duplicate"] for answer in answers] == [False, True]
    assert Signal.unsafe_all_tenants.get().payload == {"amount": 40}


def test_a_chunked_body_of_any_content_type_is_verified_as_it_came(site, hook):
    raw = b'{"order": "o-1",\n "amount": 1}'
    headers = signed(hook["secret"], raw) | {"Content-Type": "text/plain", "Accept": "text/html"}
    with closing(http.client.HTTPConnection(urlsplit(site).netloc, timeout=30)) as line:
        pieces = iter([raw[:7], raw[7:]])
        line.request("POST", urlsplit(hook["url"]).path, pieces, headers, encode_chunked=True)
        answer = line.getresponse()
        assert (answer.status, answer.headers["Content-Type"]) == (202, "application/json")
        assert json.loads(answer.read())["duplicate"] is False
