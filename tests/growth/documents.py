"""Documents with a text wherever somebody writes one: definitions and values."""

from engine.catalogue import Json


def definition(text: str) -> dict[str, Json]:
    """A definition with this text wherever an author writes one that is more than a name."""
    hole = f"{{{{ {text} }}}}"
    node = {
        "type": "transform",
        "params": {"set": {"a": text, "b": hole, text[:200]: text}},
        "input": {"c": hole},
    }
    edges = [{"from": "a", "to": "b", "when": text}, {"from": "a", "to": text}]
    nodes = [{"id": "a", **node}, {"id": "b", "type": "wait", "params": {"for": text}}, {"id": text, **node}]
    return {"name": text, "title": text, "nodes": nodes, "edges": edges, "output": {"all": hole}}


def value(text: str) -> dict[str, Json]:
    """What programs and people send: the text as a value, within a list, as a key and in a hole."""
    return {"a": text, "b": [text, {"c": text}], text[:200]: text, "d": f"{{{{ body.{text} }}}}"}
