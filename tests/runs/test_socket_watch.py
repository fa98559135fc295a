"""Who watches a run is shut out as soon as its folder lets them read it no more."""

from accounts.principal import EVERYWHERE, Principal, Reach
from accounts.roles import SCOPES_OF_ROLE
from runs.web.socket_watch import Watched


async def nothing() -> None:
    """Ends no socket."""


def viewer(reach: Reach) -> Principal:
    return Principal(1, "ours", 7, "eve", "viewer", SCOPES_OF_ROLE["viewer"], "session", reach=reach)


def test_a_socket_stays_open_while_the_folder_of_its_run_lets_them_read():
    socket = Watched("key", 7, 1, "runs:read", nothing, folder=3)
    assert socket.may_stay(viewer(Reach.of([(3, ["read"])])))
    assert socket.may_stay(viewer(EVERYWHERE))
    assert not socket.may_stay(viewer(Reach.of([(3, ["start"]), (4, ["read"])])))
    assert not socket.may_stay(viewer(Reach()))


def test_a_socket_about_all_runs_is_in_no_folder():
    assert Watched("key", 7, 1, "runs:read", nothing).may_stay(viewer(Reach()))
