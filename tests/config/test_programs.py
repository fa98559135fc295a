"""What the supervisor knows of each program that it starts."""

from config.supervisor.programs import (
    beat_program,
    grpc_program,
    nursery_program,
    polling_worker_program,
    relay_program,
    web_programs,
    worker_program,
)


def test_each_process_of_ours_is_judged_by_what_it_says_itself():
    """Not by whether something else answers: one that hangs is silent."""
    ours = [grpc_program(), relay_program(), beat_program(), nursery_program(), *web_programs(0, 1)]
    ours += [kind("worker", "default") for kind in (worker_program, polling_worker_program)]
    assert {one.name: (one.ready, one.is_alive) for one in ours} == {one.name: ("says", None) for one in ours}
    assert max(one.silence_seconds for one in ours) <= 20
