"""The page of a run whose payloads are too large for a page."""

import pytest

from tests import factories as make

pytestmark = pytest.mark.django_db


def test_the_page_of_a_run_says_what_is_too_large_for_it_and_where_it_is_whole(client, ann):
    client.force_login(ann)
    run_id = make.start(make.chain("decision", "decision", "decision"), {"text": "word " * 200_000})[0]
    make.work()

    page = client.get(f"/runs/{run_id}")
    assert page.status_code == 200
    assert len(page.content) < 500_000
    address = f"/runs/{run_id}/value?node=b"
    assert f'href="{address}&amp;of=output"' in page.text
    assert page.text.count("too large to be shown here") == 6
    assert client.get(f"{address}&of=output").json() == {"text": "word " * 200_000}
    assert client.get(f"{address}&of=input&field=text").text == "word " * 200_000
    assert len(client.get("/").content) < 20_000


def test_the_page_of_a_small_run_shows_every_value(client, ann):
    client.force_login(ann)
    run_id = make.start(make.chain("decision", "noop"), {"text": "a few words"})[0]
    make.work()

    text = client.get(f"/runs/{run_id}").text
    assert text.count("<b>Input</b>") == text.count("<b>Output</b>") == 3
    assert "too large" not in text


def test_the_page_of_a_long_run_names_the_step_that_failed_and_leads_to_it(client, ann):
    client.force_login(ann)
    long = make.chain(*["noop"] * 13, "text.clean")
    long["nodes"][-1]["title"] = "Tidy it up"
    run_id = make.start(long, {"text": 5})[0]
    make.work()
    page = client.get(f"/runs/{run_id}").text
    assert "The step Tidy it up failed" in page
    node = long["nodes"][-1]["id"]
    assert f'&amp;step={node}#inspector"' in page
    assert f'data-status="FAILED" data-node="{node}"' in page
