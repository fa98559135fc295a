"""What stands on the terminal when Handoff is ready: a password that was made up stands there once."""

import pytest

from config.supervisor.__main__ import _welcome
from config.supervisor.home import Home


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.delenv("HANDOFF_ADMIN_PASSWORD", raising=False)
    monkeypatch.delenv("HANDOFF_LOG_FORMAT", raising=False)
    (tmp_path / "admin-password").write_text("made-up\n")
    return Home(tmp_path)


def login(home, *, is_first):
    [line] = [
        one for one in _welcome("http://x", home, 1.0, is_first=is_first).splitlines() if "login" in one
    ]
    return line


def test_the_first_start_shows_the_password_and_where_it_is_kept(home):
    line = login(home, is_first=True)
    assert "admin / made-up" in line
    assert str(home.folder / "admin-password") in line


def test_later_ones_say_where_it_is_kept_and_no_more(home):
    line = login(home, is_first=False)
    assert "made-up" not in line
    assert f"with the password in {home.folder / 'admin-password'}" in line


def test_a_collected_log_never_has_it(home, monkeypatch):
    monkeypatch.setenv("HANDOFF_LOG_FORMAT", "json")
    assert "made-up" not in login(home, is_first=True)


def test_one_that_somebody_has_set_is_never_shown(home, monkeypatch):
    monkeypatch.setenv("HANDOFF_ADMIN_PASSWORD", "my own password")
    assert "password" in login(home, is_first=True)
    assert "my own" not in login(home, is_first=True)
