"""Definitions that tests need."""


def chain(name: str, *, length: int = 1, step: str = "noop") -> dict:
    """A valid chain of `length` steps."""
    nodes = [{"id": f"s{index}", "type": step} for index in range(length)]
    edges = [{"from": f"s{index}", "to": f"s{index + 1}"} for index in range(length - 1)]
    return {"name": name, "nodes": nodes, "edges": edges}
