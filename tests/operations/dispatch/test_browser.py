"""The page of dispatch before somebody with a browser: nothing for axe to find."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import Membership
from operations.dispatch import gauges
from operations.dispatch.models import DispatchSample
from tests.operations.dispatch.factories import HARD, kept, samples
from tests.web.axe import faults_by_day_and_night

WIDTHS = (390, 1280, 1920)


@pytest.fixture
def operator(visitor, monkeypatch):
    """Who is told of each sample at once."""
    Membership.unsafe_all_tenants.update(role="operator")
    monkeypatch.setattr(gauges, "_facts", gauges._read)
    return visitor


def test_it_has_no_fault_that_axe_finds_and_fits_whatever_the_window(operator):
    page = operator.page
    for is_full in (False, True):
        if is_full:
            kept(samples((15, HARD), began=datetime.now(UTC) - timedelta(minutes=14)))
            DispatchSample.objects.update(hidden_sessions=1)
        assert operator.open("/operations/dispatch") == 200
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        assert faults_by_day_and_night(page, widths=WIDTHS[::-1]) == []
