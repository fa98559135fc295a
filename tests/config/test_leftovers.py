"""What a killed PostgreSQL leaves must not keep the next one from starting."""

import subprocess

import pytest

from config.embedded import postgres
from config.embedded.processes import wait_until

pytestmark = pytest.mark.slow


def test_lock_files_that_name_a_living_process_of_ours_are_no_obstacle(tmp_path):
    """After kill -9 the pid in them may be a zombie's, or somebody else's by now."""
    server = postgres.Postgres(tmp_path / "postgres", {"fsync": "off"})
    server.prepare()
    # PostgreSQL doesn't believe in a pid that is its own or its parent's.
    other = subprocess.Popen(["sleep", "60"])
    words = f"{other.pid}\n{server.data}\n1700000000\n5432\n{server.socket_folder}\n"
    for lock in (server.data / "postmaster.pid", server.socket_folder / ".s.PGSQL.5432.lock"):
        lock.write_text(words)

    server.prepare()
    process = server.start()

    try:
        wait_until(server.is_ready, 20, "PostgreSQL")
        assert process.poll() is None
    finally:
        other.kill()
        other.wait()
        process.send_signal(postgres.STOP_SIGNAL)
        process.wait(20)
        server.clean_up()
