"""Who may open which socket: every one with the scope that it needs; as `authorisation_matrix`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Socket:
    """A websocket route: the scope that it needs, and an address as for a `Route`."""

    scope: str
    path: str
    names_object: bool = False


SOCKETS = {
    "ws-runs": Socket("runs:read", "/ws/runs"),
    "ws-inbox": Socket("tasks:read", "/ws/inbox"),
    "ws-queues": Socket("runs:read", "/ws/queues"),
    "ws-alerts": Socket("runs:operate", "/ws/alerts"),
    "ws-run": Socket("runs:read", "/ws/runs/{run}", names_object=True),
}
