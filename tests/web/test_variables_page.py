"""A run's page shows its variables, who set them, and whom they overtook."""

import pytest

from tests import factories as make

pytestmark = pytest.mark.django_db

BESIDE = make.graph(
    [
        "s",
        {"id": "a", "title": "Ask the bank", "set_vars": {"tier": "gold"}},
        {"id": "b", "title": "Ask the shop", "set_vars": {"tier": "silver"}},
    ],
    ["s>a", "s>b"],
)


def test_a_run_s_page_tells_who_set_what_beside_whom(client, ann):
    client.force_login(ann)
    (run_id,) = make.start(BESIDE)
    make.work()
    page = " ".join(client.get(f"/runs/{run_id}").content.decode().split())

    assert '<h2 id="variables-title">Variables</h2>' in page
    assert "silver" in page[page.index("variables-title") :]
    assert "beside Ask the bank, which had set it before" in page


def test_a_run_without_variables_has_no_part_for_them(client, ann):
    client.force_login(ann)
    (run_id,) = make.start(make.chain("noop"))
    assert "variables-title" not in client.get(f"/runs/{run_id}").content.decode()
