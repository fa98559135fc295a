"""What sessions of tests that run side by side do with each other's folders."""

import fcntl
import os

from tests import session_folders


def test_a_folder_that_nobody_holds_any_more_is_removed(tmp_path):
    folder, lock = session_folders.made(tmp_path)
    (folder / "left").touch()
    session_folders.remove_left(tmp_path)
    assert (folder / "left").exists()
    os.close(lock)
    session_folders.remove_left(tmp_path)
    assert not [*tmp_path.iterdir()]


def test_one_that_is_being_made_is_left_to_who_makes_it(tmp_path, monkeypatch):
    """Of two sessions that began at once each could remove the other's."""
    lock = fcntl.flock

    def flock_while_another_begins(*arguments):
        monkeypatch.setattr(fcntl, "flock", lock)
        session_folders.remove_left(tmp_path)
        lock(*arguments)

    monkeypatch.setattr(fcntl, "flock", flock_while_another_begins)
    folder, held = session_folders.made(tmp_path)
    assert folder.is_dir()
    os.close(held)
