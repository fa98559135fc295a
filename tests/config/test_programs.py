"""What the supervisor knows of each program that it starts."""

import pytest

from config.supervisor.programs import (
    WORKERS,
    beat_program,
    grpc_program,
    nursery_program,
    polling_worker_program,
    programs_beside_web,
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


@pytest.mark.parametrize(
    ("given", "beside"),
    [
        ({}, ["beat"]),
        ({"polls": True}, []),
        ({"answers_grpc": True}, ["beat", "grpc"]),
        ({"polls": True, "answers_grpc": True, "publishes": True}, ["grpc", "relay"]),
    ],
)
def test_what_runs_beside_workers_is_what_the_mode_needs(given, beside):
    asked = {"polls": False, "answers_grpc": False, "publishes": False} | given
    assert [one.name for one in programs_beside_web(**asked)] == [*WORKERS, *beside]
