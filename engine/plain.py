"""Expressions without braces within params, such as the `when` of a column: as templates, and back."""

from collections.abc import Callable, Mapping

from engine.catalogue import Catalogue, Json, Keys, StepSpec

_OPEN, _CLOSE = "{{ ", " }}"


def in_holes(spec: StepSpec | None, params: Mapping[str, Json]) -> Mapping[str, Json]:
    """The params with each expression without braces as a template of it. What has braces already stays as it is."""
    copy: Json = params
    for keys in spec.plain_expressions(params) if spec else ():
        copy = _changed(copy, keys, _wrapped)
    return copy  # type: ignore[no-any-return]


def rewritten(
    spec: StepSpec, params: Mapping[str, Json], rewrite: Callable[[Mapping[str, Json]], Json]
) -> Json:
    """What `rewrite` makes of the params as templates, with the expressions without braces again."""
    copy = rewrite(in_holes(spec, params))
    for keys in spec.plain_expressions(params):
        if _is_wrapped(_at(params, keys)):
            copy = _changed(copy, keys, _unwrapped)
    return copy


def body_in_holes(body: Mapping[str, Json], catalogue: Catalogue) -> Mapping[str, Json]:
    """A node or body, of whatever quality, with its params as templates."""
    kind, params = body.get("type"), body.get("params")
    if not isinstance(kind, str) or not isinstance(params, dict):
        return body
    return {**body, "params": in_holes(catalogue.get(kind), params)}


def _is_wrapped(text: Json) -> bool:
    return isinstance(text, str) and text != "" and "{{" not in text


def _wrapped(text: Json) -> Json:
    return f"{_OPEN}{text}{_CLOSE}" if _is_wrapped(text) else text


def _unwrapped(text: Json) -> Json:
    return text.removeprefix(_OPEN).removesuffix(_CLOSE)


def _at(value: Json, keys: Keys) -> Json:
    for key in keys:
        value = value[key]
    return value


def _changed(value: Json, keys: Keys, change: Callable[[Json], Json]) -> Json:
    """A copy of the value with what stands at these keys changed."""
    if not keys:
        return change(value)
    inner = _changed(value[keys[0]], keys[1:], change)
    if isinstance(value, list):
        return [inner if at == keys[0] else item for at, item in enumerate(value)]
    return {**value, keys[0]: inner}
