"""Coming in and going out, with a browser."""

import pytest

pytestmark = pytest.mark.browser


def test_a_wrong_password_is_told_as_such_and_the_name_stays(stranger, ann):
    stranger.open("/login")
    stranger.log_in("another password")
    assert stranger.page.get_by_role("alert").inner_text() == "The name or the password is wrong."
    assert stranger.page.get_by_label("Username").input_value() == "ann"
    assert stranger.path() == "/login"


def test_the_right_password_leads_home_and_log_out_back(stranger, ann):
    stranger.open("/login")
    stranger.log_in("a long password")
    assert stranger.heading() == "Home"
    stranger.page.get_by_role("button", name="Log out").click()
    assert stranger.path() == "/login"
    stranger.open("/runs/")
    assert stranger.path() == "/login"


def test_a_stranger_is_sent_to_the_login_and_back_to_where_they_wanted_to(stranger, ann):
    stranger.open("/runs/?of=mine")
    assert stranger.path() == "/login"
    stranger.log_in("a long password")
    assert stranger.page.url.endswith("/runs/?of=mine")
