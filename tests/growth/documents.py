"""Documents with a text wherever somebody writes one: definitions, forms, values, what is posted."""

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


def form(text: str) -> dict[str, Json]:
    """The schema of a form that says this text of each field, and tests its values with it."""
    said = {"title": text, "description": text, "default": text}
    properties = {
        "a": {"type": "string", "enum": [text, "b"], **said},
        "b": {"type": "array", "items": {"type": "string", **said}, **said},
        text: {"type": "object", "properties": {"c": {"type": "number", **said}}, **said},
    }
    other = {"properties": {"d": {"type": "string", **said}}, "required": [text]}
    branches = {"if": {"properties": {"a": {"const": text}}}, "then": other, "else": {"$ref": f"#/{text}"}}
    return {"type": "object", "properties": properties, "required": ["a", text], **branches}


def value(text: str) -> dict[str, Json]:
    """What programs and people send: the text as a value, within a list, as a key and in a hole."""
    return {"a": text, "b": [text, {"c": text}], text[:200]: text, "d": f"{{{{ body.{text} }}}}"}


def document(name: str, text: str) -> Json:
    """What a parameter of this name is given, when it takes any JSON."""
    if name in ("definition", "document", "native", "base", "draft"):
        return definition(text)
    if name in ("schema", "form"):
        return form(text)
    if name in ("form_fields", "typed"):
        return {"a": text, "b": text, text[:200]: text}
    return value(text)
