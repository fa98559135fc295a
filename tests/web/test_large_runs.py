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


def test_what_is_too_large_is_read_page_by_page_and_searched(client, ann):
    client.force_login(ann)
    text = "\n".join(f"line {number} of many words" for number in range(30_000))
    run_id = make.start(make.chain("decision", "noop"), {"text": text})[0]
    make.work()
    address = f"/runs/{run_id}/value?of=input&node=b&field=text"
    assert f'href="/runs/{run_id}/value?node=b&amp;of=input&amp;page=1"' in client.get(f"/runs/{run_id}").text
    page = client.get(f"{address}&page=3").text
    assert "line 400 of many words" in page
    assert "line 399 of" not in page
    assert f"{address.replace('&', '&amp;')}&amp;page=4" in page
    found = client.get(f"{address}&page=1&q=LINE 29999").text
    assert found.count("of many words") == 1
    assert "#line-30000" in found
    assert client.get(f"{address}&page={'9' * 5000}").status_code == 200
